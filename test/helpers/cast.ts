import { z } from 'zod';
import type { Permissions } from '../../lib/model/acl.js';
import { as } from './people.js';

// Those who meet something of Ada's that she shares, in the tests of permissions.

export type Caller = ReturnType<typeof as>;

export const shared: Permissions = {
  readOnly: { users: ['rita'], roles: ['team'], everyone: false },
  readWrite: { users: ['will'], roles: ['crew'], everyone: false },
};

/** All have `role`, too. */
export const readers = (role: string): Readonly<Record<string, Caller>> => ({
  'a user who may read': as('rita', role),
  'a role that may read': as('tom', `${role},team`),
});

/** All but the administrator have `role`, too. */
export const writers = (role: string): Readonly<Record<string, Caller>> => ({
  'the owner': as('ada', role),
  'a user who may write': as('will', role),
  'a role that may write': as('cleo', `${role},crew`),
  'an administrator': as('root', 'admin'),
});

export interface Answer {
  readonly status: number;
  /** Empty when nothing was refused. */
  readonly code: string;
  readonly message: string;
}

const Refusal = z.looseObject({ code: z.string(), message: z.string() });

/** What came back; `name` is `shown` in messages, so that answers about two things can be compared. */
export async function answerOf(response: Response, name: string, shown: string): Promise<Answer> {
  const text = await response.text();
  if (response.ok) return { status: response.status, code: '', message: '' };
  const { code, message } = Refusal.parse(JSON.parse(text));
  return { status: response.status, code, message: message.replaceAll(name, shown) };
}
