import type { AnswerOf } from '../../gateway/queries.js';

/** As the list of users has them. */
export type User = AnswerOf<'listUsers'>['users'][number];
