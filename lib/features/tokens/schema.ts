import * as z from 'zod';
import { inUnit, quantity } from '../../model/quantity.js';
import { AnyUserName } from '../accounts/schema.js';

const day = 24 * 60 * 60;

const Millis = (what: string) => quantity('epoch ms').describe(`${what}, milliseconds since 1970`);

/** An API token, without the secret: that is shown once and kept nowhere. */
export const Token = z
  .object({
    id: z.string(),
    userName: z.string(),
    name: z.string(),
    permissions: z
      .array(z.string())
      .optional()
      .describe('what it may use at most of what its user may; absent: all of it'),
    createdAt: Millis('when it was made'),
    expiresAt: Millis('when it ends'),
    lastUsedAt: Millis('when it was used last, to the hour; absent: never').optional(),
  })
  .meta({ id: 'Token' });
export type Token = z.output<typeof Token>;
export const TokenList = z.object({ tokens: z.array(Token) });

export const NewToken = z
  .object({
    name: z
      .string()
      .trim()
      .min(1)
      .max(64, { abort: true })
      .regex(/^\P{Cc}*$/u, 'holds a control character')
      .describe('what it is for'),
    permissions: z.array(z.string().max(64)).max(100).optional(),
    validSeconds: z.coerce
      .number()
      .int()
      .min(60)
      .max(366 * day)
      .default(90 * day)
      .meta(inUnit('s'))
      .describe('default: 90 days'),
  })
  .meta({ id: 'NewToken' });
export type NewToken = z.output<typeof NewToken>;

export const CreatedToken = Token.extend({
  token: z.string().describe('shown this once; send it as `Authorization: Bearer <token>`'),
}).meta({ id: 'CreatedToken' });
export type CreatedToken = z.output<typeof CreatedToken>;

export const TokenParams = z.object({ id: z.string().max(64) });
export const TokenOwner = z.object({ user: AnyUserName });
export const TokenFilter = z.object({ user: AnyUserName.optional() });

/** Kept in storage; never sent. */
export const StoredToken = Token.extend({ hash: z.string().regex(/^[0-9a-f]{64}$/) });
export type StoredToken = z.output<typeof StoredToken>;
