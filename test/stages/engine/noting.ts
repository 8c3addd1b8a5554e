import { readFileSync } from 'node:fs';
import type { Client } from '../../../lib/client.js';
import { listRoutes } from '../../../lib/http/table.js';
import { routes } from '../../../lib/routes.js';

/** Notes the ids of operations that were answered with success. */
export function noting(client: Client, answered: Set<string>): Client {
  const ids = new Set(listRoutes(routes).map(({ id }) => id));
  return new Proxy(client, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof name !== 'string' || !ids.has(name) || typeof member !== 'function') return member;
      return async (...parameters: unknown[]) => {
        const answer: unknown = await Reflect.apply(member, target, parameters);
        answered.add(name);
        return answer;
      };
    },
  });
}

const shapeOf = (method: string, path: string) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`;

/** Operations of these sections of `test/spec/endpoints.tsv`: how many there are, and which were not answered. */
export function rowsOf(sections: RegExp, answered: ReadonlySet<string>) {
  const idByShape = new Map(
    listRoutes(routes).map(({ id, route }) => [shapeOf(route.method, route.path), id]),
  );
  const rows = readFileSync(new URL('../../../../test/spec/endpoints.tsv', import.meta.url), 'utf8')
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([section = '']) => sections.test(section));
  const unanswered = rows.filter(
    ([, method = '', path = '']) => !answered.has(idByShape.get(shapeOf(method, path)) ?? ''),
  );
  return { count: rows.length, unanswered };
}
