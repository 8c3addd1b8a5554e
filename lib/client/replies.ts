import { listRoutes } from '../http/table.js';
import { routes } from '../routes.js';
import type { ReplyCheck } from './rest.js';

const schemas = new Map(listRoutes(routes).map(({ id, route }) => [id, route.reply.schema]));

/**
 * Holds every JSON answer against its schema, `createClient({ checkReplies })`: for tests, and on Node alone. It brings the
 * schemas of all operations, which a client without it does not load.
 */
export const checkReplies: ReplyCheck = (operation, answer) =>
  schemas.get(operation)?.safeParse(answer).error?.issues ?? [];
