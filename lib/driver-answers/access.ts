import * as z from 'zod';
import type {
  Authenticator,
  Identity as IdentityShape,
  OpenedSession,
  Sessions,
} from '../interfaces/auth.js';
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

/** Of authenticators. */
export const authenticatorAnswers = answersBelow({
  '': {
    authenticate: later(Identity.optional()),
    challenge: sooner(text.optional()),
    checkConfiguration: done,
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
  } satisfies AnswersOf<Sessions>,
});

export const secretsAnswers = answersBelow({
  '': { seal: later(text.min(1)), unseal: later(text) } satisfies AnswersOf<Secrets>,
});
