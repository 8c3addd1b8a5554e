// The errors that a client can meet in any part. `details` is for the client, `cause` for the log.

import { type BadRequestReason, type ConflictReason, type ErrorCode, errorCodes } from './reasons.js';

/** Thrown by services and drivers; turned into a response in one place, `encodeError`. */
export class GatewayError extends Error {
  readonly status: number;
  /** Stable: clients branch on it, never on the sentence. */
  readonly code: string;
  readonly details: unknown;
  /** Sent with the response. */
  readonly headers: Readonly<Record<string, string>>;
  /** More members of the body, where clients look for them. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    code: string,
    message: string,
    more: {
      details?: unknown;
      cause?: unknown;
      headers?: Readonly<Record<string, string>>;
      members?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = new.target.name;
    this.status = status;
    this.code = code;
    this.details = more.details;
    this.headers = more.headers ?? {};
    this.members = more.members ?? {};
  }
}

const statuses: ReadonlyMap<string, number> = new Map(
  Object.entries(errorCodes).flatMap(([status, codes]) =>
    Object.keys(codes).map((code) => [code, Number(status)] as const),
  ),
);

/** One whose code is in the table, and so in the reference; the table says its status. */
export abstract class DocumentedError extends GatewayError {
  constructor(code: ErrorCode, message: string, more?: ConstructorParameters<typeof GatewayError>[3]) {
    super(statuses.get(code) ?? 500, code, message, more);
  }
}

/** One thing that is wrong with what the client sent. */
export interface InputIssue {
  /** Where: `body.operators.0.name`, `query.limit`, `params.appid`. */
  readonly path: string;
  readonly message: string;
}

/** What would be refused again, whenever it is sent. */
export class BadRequest extends DocumentedError {
  declare readonly code: BadRequestReason;

  constructor(code: BadRequestReason, message: string, details?: unknown) {
    super(code, message, { details });
  }
}

export class InvalidInput extends DocumentedError {
  readonly issues: readonly InputIssue[];

  constructor(issues: readonly InputIssue[]) {
    const first = issues[0];
    super('INVALID_INPUT', first ? `${first.path}: ${first.message}` : 'The request is not valid', {
      details: issues,
    });
    this.issues = issues;
  }
}

export class NotLoggedIn extends DocumentedError {
  constructor(message = 'Log in first') {
    super('NOT_LOGGED_IN', message);
  }
}

export class LoginFailed extends DocumentedError {
  constructor() {
    super('LOGIN_FAILED', 'Login failed: the user name or the password is wrong');
  }
}

export class Forbidden extends DocumentedError {
  constructor(message: string, details?: unknown) {
    super('FORBIDDEN', message, { details });
  }
}

/** Also for things the caller must not know about. */
export class NotFound extends DocumentedError {
  /** `known`: names that there are, where the caller may know them and they are few. */
  constructor(kind: string, name: string, known: readonly string[] = []) {
    const hint = known.length > 0 ? `; there are ${known.join(', ')}` : '';
    super('NOT_FOUND', `There is no ${kind} ${JSON.stringify(name)}${hint}`);
  }
}

/** For `catch`: what is not there is `undefined`, anything else is thrown on. */
export function undefinedIfUnknown(error: unknown): undefined {
  if (error instanceof NotFound) return undefined;
  throw error;
}

/** What can't be done in the state that things are in. */
export class Conflict extends DocumentedError {
  declare readonly code: ConflictReason;

  constructor(code: ConflictReason, message: string, details?: unknown) {
    super(code, message, { details });
  }
}

export class PreconditionFailed extends DocumentedError {
  constructor(message: string, details?: unknown) {
    super('PRECONDITION_FAILED', message, { details });
  }
}

/** A definition that would lose all that is in it, by somebody who does not say that it was seen. */
export class WouldEmpty extends DocumentedError {
  constructor(message: string) {
    super('WOULD_EMPTY', message, { members: { error: message } });
  }
}

/** For what must not be there yet: `docs/decisions.md`, What exists already. */
export class AlreadyExists extends DocumentedError {
  constructor(message: string) {
    super('ALREADY_EXISTS', message, { members: { error: message } });
  }
}

export class TooLarge extends DocumentedError {
  constructor(what: string, limitBytes: number) {
    super('TOO_LARGE', `${what} is larger than the limit of ${limitBytes} bytes`, {
      details: { limitBytes },
    });
  }
}

/** What was asked for is more than one answer carries; the sentence says how to ask for a part. */
export class AnswerTooLarge extends DocumentedError {
  constructor(message: string, details: { readonly limitBytes: number } & Readonly<Record<string, unknown>>) {
    super('ANSWER_TOO_LARGE', message, { details });
  }
}

export class TooManyRequests extends DocumentedError {
  constructor(message: string, retryAfterSeconds: number) {
    super('TOO_MANY_REQUESTS', message, { headers: { 'retry-after': String(retryAfterSeconds) } });
  }
}

/** Nobody reads it; it keeps broken uploads apart from our own faults in the log (499 is the number nginx gave them). */
export class ClientHungUp extends DocumentedError {
  constructor(cause?: unknown) {
    super('CLIENT_HUNG_UP', 'The client hung up before the answer was sent', { cause });
  }
}

export class NotSupported extends DocumentedError {
  constructor(driver: string, facet: string) {
    super('NOT_SUPPORTED', `The driver "${driver}" does not offer ${facet}`, {
      details: { driver, facet },
    });
  }
}

/** Something is asked for that an optional package does. */
export class MissingPackage extends DocumentedError {
  /** `what`: "Logging in through a directory". */
  constructor(what: string, packageName: string, cause?: unknown) {
    super('MISSING_PACKAGE', `${what} needs the package ${packageName}: npm install ${packageName}`, {
      details: { package: packageName },
      cause,
    });
  }
}

class Internal extends DocumentedError {
  constructor(cause: unknown) {
    super('INTERNAL', 'Something went wrong on the server; the log has the details under the request id', {
      cause,
    });
  }
}

/** A kept document or blob can't be read back. It costs nothing else. */
export class DamagedDocument extends DocumentedError {
  constructor(what: string, cause?: unknown) {
    super('DAMAGED', `${what} is damaged and can't be read; restore it from a backup or delete it`, {
      cause,
    });
  }
}

/** A kept secret can't be opened: the key is another one, or the text was changed. What is kept stays. */
export class SecretUnreadable extends DocumentedError {
  constructor(member: string, document: string, cause: unknown) {
    const where = document.replace(/^The/, 'the');
    super(
      'SECRET_UNREADABLE',
      `The ${member} in ${where} can't be unsealed: bring back the key that it was sealed with, or enter it again`,
      { cause },
    );
  }
}

export class Unreachable extends DocumentedError {
  constructor(what: string, cause?: unknown) {
    super('UNREACHABLE', `${what} can't be reached`, { cause });
  }
}

/** A part of the cluster answered, and not as it should: an error page, half an answer, more than we take. */
export class UnusableAnswer extends DocumentedError {
  /** `why` completes the sentence: `answered with status 500`. */
  constructor(what: string, why: string, more: { details?: unknown; cause?: unknown } = {}) {
    super('UNUSABLE_ANSWER', `${what} ${why}`, more);
  }
}

/** The container runtime was asked and could not do it: an image that is not there, a program that ends at once. */
export class ContainerFailed extends DocumentedError {
  /** A sentence for the operator. */
  constructor(message: string, cause?: unknown) {
    super('CONTAINER_FAILED', message, { cause });
  }
}

/** The mail server did not take a mail for anybody. */
export class MailNotSent extends DocumentedError {
  /** Completes "The mail could not be sent: ". */
  readonly why: string;
  /** `server`: other mails would fare no better now. `mail`: it is this one that is not taken. */
  readonly blame: 'server' | 'mail';
  /** Trying again with the same settings is no use. */
  readonly isFinal: boolean;

  constructor(
    why: string,
    { blame, isFinal, cause }: { blame: 'server' | 'mail'; isFinal: boolean; cause?: unknown },
  ) {
    super('MAIL_NOT_SENT', `The mail could not be sent: ${why}`, { cause });
    this.why = why;
    this.blame = blame;
    this.isFinal = isFinal;
  }
}

/** `docs/decisions.md`, Mail settings are kept before they work. */
export class TestMailNotSent extends DocumentedError {
  constructor(why: string, cause: unknown) {
    super('TEST_MAIL_NOT_SENT', `The settings are saved, but the test mail could not be sent: ${why}`, {
      cause,
      details: { saved: true },
      members: { saved: true },
    });
  }
}

export class NotReady extends DocumentedError {
  constructor(message: string, retryAfterSeconds = 1) {
    super('NOT_READY', message, { headers: { 'retry-after': String(retryAfterSeconds) } });
  }
}

/** Only one gateway at a time may keep its things in a directory. */
export class StorageInUse extends DocumentedError {
  constructor(directory: string, holder: string, pid?: number) {
    super(
      'STORAGE_IN_USE',
      `The directory ${directory} is in use by ${holder}; end that one first, or give this gateway a directory of its own`,
      { details: { directory, ...(pid === undefined ? {} : { pid }) } },
    );
  }
}

/** What is kept can't be opened or written as a whole; for the operator of the host. */
export class StorageFailed extends DocumentedError {
  constructor(message: string, cause?: unknown) {
    super('STORAGE_FAILED', message, { cause });
  }
}

export class TimedOut extends DocumentedError {
  constructor(what: string) {
    super('TIMED_OUT', `${what} did not answer in time`);
  }
}

export const asGatewayError = (thrown: unknown): GatewayError =>
  thrown instanceof GatewayError ? thrown : new Internal(thrown);
