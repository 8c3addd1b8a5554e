import * as z from 'zod';
import { quantity } from '../../model/quantity.js';
import { PasswordText } from '../accounts/schema.js';

export const LoginInput = z
  .object({ userName: z.string().max(256), password: PasswordText })
  .meta({ id: 'LoginInput' });
export type LoginInput = z.output<typeof LoginInput>;

export const SessionInfo = z
  .object({
    id: z.string().describe('as in the audit log; it opens nothing'),
    createdAt: quantity('epoch ms').describe('of the login, milliseconds since 1970'),
    lastUsedAt: quantity('epoch ms').describe('of the last request, milliseconds since 1970'),
    remoteAddress: z.string().optional().describe('where the login came from'),
    userAgent: z
      .string()
      .optional()
      .describe('what the program that logged in called itself, at most 256 characters'),
    isCurrent: z.boolean().describe('the session that asks'),
  })
  .meta({ id: 'SessionInfo' });
export type SessionInfo = z.output<typeof SessionInfo>;
export const SessionList = z.object({ sessions: z.array(SessionInfo) });
export const SessionParams = z.object({ id: z.string().max(64) });
