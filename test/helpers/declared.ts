import type { Server } from 'node:http';
import { statusesOf } from '../../lib/http/responses.js';
import { buildTable, listRoutes } from '../../lib/http/table.js';
import { routes } from '../../lib/routes.js';

const table = buildTable(routes, {});
const declared = new Map(listRoutes(routes).map(({ id, route }) => [id, statusesOf(route)]));

/** Nobody reads it: the client has gone. */
const hungUp = 499;

/**
 * Looks at every answer of a gateway behind a server. What it gives lists those with a status that the OpenAPI document
 * does not name for the operation.
 */
export function undeclaredAnswers(server: Server): () => readonly string[] {
  const found = new Set<string>();
  server.on('request', ({ method = '', url = '' }, res) => {
    res.on('finish', () => {
      const id = table.operationAt(method, url.split('?', 1)[0] ?? '');
      if (id !== undefined && !isDeclared(id, res.statusCode)) found.add(`${id}: ${res.statusCode}`);
    });
  });
  return () => [...found].sort();
}

export function isDeclared(id: string, status: number): boolean {
  const { statuses = [], isPassedOn = false } = declared.get(id) ?? {};
  const isFault = status >= 500 && status !== 501;
  return isFault || isPassedOn || status === hungUp || statuses.includes(status);
}
