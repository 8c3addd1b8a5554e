import type { Server } from 'node:http';
import { statusesOf } from '../../lib/http/responses.js';
import { buildTable, listRoutes } from '../../lib/http/table.js';
import { routes } from '../../lib/routes.js';

const table = buildTable(routes, {});
const declared = new Map(listRoutes(routes).map(({ id, route }) => [id, statusesOf(route)]));

/** Nobody reads it: the client has gone. */
const hungUp = 499;

/** Tells of each answer of a gateway behind a server: the operation, and its status. */
export function watchAnswers(server: Server, tell: (id: string, status: number) => void): void {
  server.on('request', ({ method = '', url = '' }, res) => {
    res.on('finish', () => {
      const id = table.operationAt(method, url.split('?', 1)[0] ?? '');
      if (id !== undefined) tell(id, res.statusCode);
    });
  });
}

/**
 * Looks at every answer of a gateway behind a server. What it gives lists those with a status that the OpenAPI document
 * does not name for the operation.
 */
export function undeclaredAnswers(server: Server): () => readonly string[] {
  const found = new Set<string>();
  watchAnswers(server, (id, status) => {
    if (!isDeclared(id, status)) found.add(`${id}: ${status}`);
  });
  return () => [...found].sort();
}

/** Of a proxy: whatever the other side says. */
export const isPassedOn = (id: string): boolean => declared.get(id)?.isPassedOn ?? false;

export function isDeclared(id: string, status: number): boolean {
  const { statuses = [] } = declared.get(id) ?? {};
  const isFault = status >= 500 && status !== 501;
  return isFault || isPassedOn(id) || status === hungUp || statuses.includes(status);
}
