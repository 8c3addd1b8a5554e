/** `fails` never comes into a table that is kept: the test fails with it. */
export type Cell = 'yes' | 'fails' | { readonly note: number };

export interface Row {
  readonly name: string;
  readonly cells: ReadonlyMap<string, Cell>;
}

/** In the order of the page. */
const hosts = [
  '`http`',
  'Express 4',
  'Express 5',
  'Koa 3',
  'Koa 3, after koa-body',
  'Fastify 5',
  'NestJS 11',
  'Hono 4',
  'Next.js 16, custom server',
  'Next.js 16, route handler',
  '`fetch` (srvx)',
];

export const columns = [
  'REST',
  'Upload, raw',
  'Upload, form',
  'Streamed log',
  'Events',
  'Errors',
  'Unknown paths',
  'Own paths',
  'WebSocket',
  'WebSocket beside another',
  'Prefix',
  'nginx, TLS',
];

const shown = (cell: Cell | undefined): string => {
  if (cell === undefined) return '?';
  if (typeof cell === 'object') return `– (${cell.note})`;
  return cell === 'yes' ? '✓' : 'fails';
};

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

export function tableOf(rows: readonly Row[]): string {
  const ordered = [...rows].sort((one, other) => hosts.indexOf(one.name) - hosts.indexOf(other.name));
  return [
    line(['', ...columns]),
    line(['---', ...columns.map(() => ':-:')]),
    ...ordered.map(({ name, cells }) => line([name, ...columns.map((column) => shown(cells.get(column)))])),
    '',
  ].join('\n');
}

const marked = /(<!-- made by `npm run test:hosts` -->\n)[\s\S]*?(?=\n(?!\|))/;

/** The page with this table in the place of its own. */
export function replaceTable(page: string, table: string): string {
  if (!marked.test(page)) throw new Error('The page has no place for the table');
  return page.replace(marked, (_, mark: string) => `${mark}${table.trimEnd()}`);
}
