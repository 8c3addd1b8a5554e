import { adminRole, defaultRoles, permissionCatalogue } from '../model/permissions.js';
import { errorCodes } from '../model/reasons.js';
import { type ResourceAccess, resourceAccess } from './resource-access.js';
import type { ListedRoute } from './table.js';

interface Access {
  readonly access: string;
  readonly resource?: ResourceAccess | undefined;
}

/** What the reference needs of a topic. */
interface ListedTopic extends Access {
  readonly name: string;
  readonly summary: string;
  readonly kind: string;
  readonly every?: number;
}

/** The operations, topics, permissions and error codes as Markdown tables: folds over the same values that answer requests. */
export function reference(routes: readonly ListedRoute[], topics: readonly ListedTopic[]): string {
  const rooms = [...new Set(routes.map(({ room }) => room))];
  return [
    '## Operations',
    ...rooms.map((room) => `### ${room}\n\n${operations(routes.filter((route) => route.room === room))}`),
    `## Topics\n\n${table(['Topic', 'What', 'Who', 'When'], topics.map(topicRow))}`,
    `## Permissions\n\n${permissionTable(routes)}`,
    `## Error codes\n\n${table(['Status', 'Code', 'When it is answered, and what to do'], errorRows)}`,
  ].join('\n\n');
}

const errorRows = Object.entries(errorCodes).flatMap(([status, codes]) =>
  Object.entries(codes).map(([code, sentence]) => [status, `\`${code}\``, sentence]),
);

/** Every permission with the shipped roles that hold it and the operations that ask for it by themselves. */
const permissionTable = (routes: readonly ListedRoute[]): string =>
  table(
    ['Permission', 'Allows', 'For administrators', 'Shipped with', 'Asked for by'],
    Object.entries(permissionCatalogue).map(([name, { meaning, adminOnly }]) => [
      `\`${name}\``,
      meaning,
      adminOnly ? 'yes' : '',
      Object.keys(defaultRoles)
        .filter((role) => role !== adminRole && defaultRoles[role]?.some((one) => one === name))
        .join(', '),
      routes
        .filter(({ route }) => route.access === name)
        .map(({ id }) => `\`${id}\``)
        .join(', '),
    ]),
  );

const operations = (routes: readonly ListedRoute[]): string =>
  table(
    ['Operation', '', 'Who', 'Client'],
    routes.map(({ id, route }) => [
      `\`${route.method} ${route.path}\``,
      [
        route.summary,
        route.requires && `(needs \`${route.requires}\`)`,
        route.since && `(since ${route.since} of the API)`,
        route.deprecated && '(deprecated)',
      ]
        .filter(Boolean)
        .join(' '),
      whoOf(route),
      `\`${id}\``,
    ]),
  );

const topicRow = ({ name, summary, access, resource, kind, every }: ListedTopic): string[] => [
  `\`${name}\``,
  summary,
  whoOf({ access, resource }),
  kind === 'events' ? 'as it happens' : `every ${(every ?? 0) / 1000} s while somebody listens`,
];

const who = (access: string): string =>
  ({ public: 'everybody', user: 'any user', admin: 'administrators' })[access] ?? `\`${access}\``;

/** `any user` says less than what the thing asks. */
const whoOf = ({ access, resource }: Access): string => {
  if (!resource) return who(access);
  const those = `those who ${resourceAccess[resource]}`;
  return access === 'user' ? those : `${who(access)}, and of them ${those}`;
};

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
