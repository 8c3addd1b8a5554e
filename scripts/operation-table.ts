import type { Operation } from '../lib/client/rest.js';
import type { ListedRoute } from '../lib/http/table.js';

/** What the client knows of a route. */
export function operationOf({ method, path, body, reply }: ListedRoute['route']): Operation {
  if (!body) return { method, path, reply: reply.kind };
  const [first = '*'] = body.contentTypes;
  const contentType = first === '*' ? 'application/octet-stream' : first;
  return { method, path, body: { isJson: body.kind === 'json', contentType }, reply: reply.kind };
}

/** The source of `lib/client/operations.ts`. */
export function operationTable(routes: readonly ListedRoute[]): string {
  const lines = routes.map(({ id, route }) => `  ${id}: ${literal(operationOf(route))},\n`);
  return `${head}export const operations: Readonly<Record<string, Operation>> = {\n${lines.join('')}};\n`;
}

/** The source of `lib/route-places.ts`. */
export function placeTable(routes: readonly ListedRoute[]): string {
  const lines = routes.map(({ id, room, route: { method, path, upgrades } }) => {
    const route = { method, path, ...(upgrades ? { upgrades } : {}) };
    return `  ${literal({ id, room, route })},\n`;
  });
  return `${headOfPlaces}export const routePlaces: readonly RoutePlace[] = [\n${lines.join('')}];\n`;
}

const headOfPlaces = `import type { RoutePlace } from './http/table.js';

// Written by \`npm run docs\` from the routes, so that a start need not load them.

// biome-ignore format: one line a route.
`;

const head = `import type { Operation } from './rest.js';

// Written by \`npm run docs\` from the table of routes, which a page could not load: the routes bring their schemas and services.

// biome-ignore format: one line an operation.
`;

function literal(value: string | boolean | object): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'boolean') return String(value);
  return `{ ${Object.entries(value)
    .map(([name, member]) => `${name}: ${literal(member)}`)
    .join(', ')} }`;
}
