import * as z from 'zod';
import type {
  Authenticator,
  Identity as IdentityShape,
  OpenedSession,
  SessionEntry,
  Sessions,
} from '../interfaces/auth.js';
import type { SchemeUser as SchemeUserShape } from '../interfaces/login-scheme.js';
import type { Secrets } from '../interfaces/secrets.js';
import {
  type AnswersOf,
  answersBelow,
  done,
  doneSooner,
  fun,
  later,
  type MembersOf,
  sooner,
} from './shapes.js';

const text = z.string();

const Identity = z.object({
  // Who has a name that can't be used here gets a 403 of its own: it may be the user's doing.
  userName: text,
  groups: z.array(text).optional(),
  roles: z.array(text).optional(),
  scheme: text.optional(),
  sessionId: text.optional(),
  scope: z.array(text).optional(),
} satisfies MembersOf<IdentityShape>);

const Opened = z.object({
  identity: Identity.required({ sessionId: true }),
  setCookie: text,
} satisfies MembersOf<OpenedSession>);

const Entry = z.object({
  id: text,
  createdAt: z.number(),
  lastUsedAt: z.number(),
  remoteAddress: text.optional(),
  userAgent: text.optional(),
} satisfies MembersOf<SessionEntry>);

const SchemeUser = z.object({
  userName: text,
  groups: z.array(text).optional(),
} satisfies MembersOf<SchemeUserShape>);

/** Of authenticators. */
export const authenticatorAnswers = answersBelow({
  '': {
    authenticate: later(Identity.optional()),
    challenge: sooner(text.optional()),
    checkConfiguration: done,
    tryConfiguration: later(SchemeUser.optional()),
    open: doneSooner,
    forget: doneSooner,
    close: doneSooner,
  } satisfies AnswersOf<Authenticator>,
  'sessions.': {
    verify: later(Identity.optional()),
    open: sooner(Opened),
    end: sooner(z.object({ setCookie: text })),
    touch: sooner(z.boolean()),
    onEnd: sooner(fun),
    list: sooner(z.array(Entry)),
    endOne: doneSooner,
  } satisfies AnswersOf<Sessions>,
});

export const secretsAnswers = answersBelow({
  '': { seal: later(text.min(1)), unseal: later(text) } satisfies AnswersOf<Secrets>,
});
