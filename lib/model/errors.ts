// The errors that a client can meet in any part. Constructors take data, not sentences; `details` is for the client, `cause` for the log.

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

/** One thing that is wrong with what the client sent. */
export interface InputIssue {
  /** Where: `body.operators.0.name`, `query.limit`, `params.appid`. */
  readonly path: string;
  readonly message: string;
}

export class BadRequest extends GatewayError {
  constructor(message: string, details?: unknown) {
    super(400, 'BAD_REQUEST', message, { details });
  }
}

export class InvalidInput extends GatewayError {
  readonly issues: readonly InputIssue[];

  constructor(issues: readonly InputIssue[]) {
    const first = issues[0];
    super(400, 'INVALID_INPUT', first ? `${first.path}: ${first.message}` : 'The request is not valid', {
      details: issues,
    });
    this.issues = issues;
  }
}

export class NotLoggedIn extends GatewayError {
  constructor(message = 'Log in first') {
    super(401, 'NOT_LOGGED_IN', message);
  }
}

export class LoginFailed extends GatewayError {
  constructor() {
    super(401, 'LOGIN_FAILED', 'Login failed: the user name or the password is wrong');
  }
}

export class Forbidden extends GatewayError {
  constructor(message: string, details?: unknown) {
    super(403, 'FORBIDDEN', message, { details });
  }
}

/** Also for things the caller must not know about. */
export class NotFound extends GatewayError {
  /** `known`: names that there are, where the caller may know them and they are few. */
  constructor(kind: string, name: string, known: readonly string[] = []) {
    const hint = known.length > 0 ? `; there are ${known.join(', ')}` : '';
    super(404, 'NOT_FOUND', `There is no ${kind} ${JSON.stringify(name)}${hint}`);
  }
}

/** For `catch`: what is not there is `undefined`, anything else is thrown on. */
export function undefinedIfUnknown(error: unknown): undefined {
  if (error instanceof NotFound) return undefined;
  throw error;
}

export class Conflict extends GatewayError {
  constructor(message: string, details?: unknown) {
    super(409, 'CONFLICT', message, { details });
  }
}

export class PreconditionFailed extends GatewayError {
  constructor(message: string, details?: unknown) {
    super(412, 'PRECONDITION_FAILED', message, { details });
  }
}

/** A definition that would lose all that is in it, by somebody who does not say that it was seen. */
export class WouldEmpty extends GatewayError {
  constructor(message: string) {
    super(412, 'WOULD_EMPTY', message, { members: { error: message } });
  }
}

/** For what must not be there yet: `docs/decisions.md`, What exists already. */
export class AlreadyExists extends GatewayError {
  constructor(message: string) {
    super(412, 'ALREADY_EXISTS', message, { members: { error: message } });
  }
}

export class TooLarge extends GatewayError {
  constructor(what: string, limitBytes: number) {
    super(413, 'TOO_LARGE', `${what} is larger than the limit of ${limitBytes} bytes`, {
      details: { limitBytes },
    });
  }
}

/** What was asked for is more than one answer carries; the sentence says how to ask for a part. */
export class AnswerTooLarge extends GatewayError {
  constructor(message: string, details: { readonly limitBytes: number } & Readonly<Record<string, unknown>>) {
    super(400, 'ANSWER_TOO_LARGE', message, { details });
  }
}

export class TooManyRequests extends GatewayError {
  constructor(message: string, retryAfterSeconds: number) {
    super(429, 'TOO_MANY_REQUESTS', message, { headers: { 'retry-after': String(retryAfterSeconds) } });
  }
}

/** Nobody reads it; it keeps broken uploads apart from our own faults in the log (499 is the number nginx gave them). */
export class ClientHungUp extends GatewayError {
  constructor(cause?: unknown) {
    super(499, 'CLIENT_HUNG_UP', 'The client hung up before the answer was sent', { cause });
  }
}

export class NotSupported extends GatewayError {
  constructor(driver: string, facet: string) {
    super(501, 'NOT_SUPPORTED', `The driver "${driver}" does not offer ${facet}`, {
      details: { driver, facet },
    });
  }
}

/** Something is asked for that an optional package does. */
export class MissingPackage extends GatewayError {
  /** `what`: "Logging in through a directory". */
  constructor(what: string, packageName: string, cause?: unknown) {
    super(501, 'MISSING_PACKAGE', `${what} needs the package ${packageName}: npm install ${packageName}`, {
      details: { package: packageName },
      cause,
    });
  }
}

class Internal extends GatewayError {
  constructor(cause: unknown) {
    super(
      500,
      'INTERNAL',
      'Something went wrong on the server; the log has the details under the request id',
      {
        cause,
      },
    );
  }
}

/** A kept document or blob can't be read back. It costs nothing else. */
export class DamagedDocument extends GatewayError {
  constructor(what: string, cause?: unknown) {
    super(500, 'DAMAGED', `${what} is damaged and can't be read; restore it from a backup or delete it`, {
      cause,
    });
  }
}

/** A kept secret can't be opened: the key is another one, or the text was changed. What is kept stays. */
export class SecretUnreadable extends GatewayError {
  constructor(member: string, document: string, cause: unknown) {
    const where = document.replace(/^The/, 'the');
    super(
      500,
      'SECRET_UNREADABLE',
      `The ${member} in ${where} can't be unsealed: bring back the key that it was sealed with, or enter it again`,
      { cause },
    );
  }
}

export class Unreachable extends GatewayError {
  constructor(what: string, cause?: unknown) {
    super(502, 'UNREACHABLE', `${what} can't be reached`, { cause });
  }
}

/** A part of the cluster answered, and not as it should: an error page, half an answer, more than we take. */
export class UnusableAnswer extends GatewayError {
  /** `why` completes the sentence: `answered with status 500`. */
  constructor(what: string, why: string, more: { details?: unknown; cause?: unknown } = {}) {
    super(502, 'UNUSABLE_ANSWER', `${what} ${why}`, more);
  }
}

/** The container runtime was asked and could not do it: an image that is not there, a program that ends at once. */
export class ContainerFailed extends GatewayError {
  /** A sentence for the operator. */
  constructor(message: string, cause?: unknown) {
    super(502, 'CONTAINER_FAILED', message, { cause });
  }
}

/** The mail server did not take a mail for anybody. */
export class MailNotSent extends GatewayError {
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
    super(502, 'MAIL_NOT_SENT', `The mail could not be sent: ${why}`, { cause });
    this.why = why;
    this.blame = blame;
    this.isFinal = isFinal;
  }
}

/** `docs/decisions.md`, Mail settings are kept before they work. */
export class TestMailNotSent extends GatewayError {
  constructor(why: string, cause: unknown) {
    super(502, 'TEST_MAIL_NOT_SENT', `The settings are saved, but the test mail could not be sent: ${why}`, {
      cause,
      details: { saved: true },
      members: { saved: true },
    });
  }
}

export class NotReady extends GatewayError {
  constructor(message: string, retryAfterSeconds = 1) {
    super(503, 'NOT_READY', message, { headers: { 'retry-after': String(retryAfterSeconds) } });
  }
}

/** Only one gateway at a time may keep its things in a directory. */
export class StorageInUse extends GatewayError {
  constructor(directory: string, holder: string, pid?: number) {
    super(
      503,
      'STORAGE_IN_USE',
      `The directory ${directory} is in use by ${holder}; end that one first, or give this gateway a directory of its own`,
      { details: { directory, ...(pid === undefined ? {} : { pid }) } },
    );
  }
}

/** What is kept can't be opened or written as a whole; for the operator of the host. */
export class StorageFailed extends GatewayError {
  constructor(message: string, cause?: unknown) {
    super(500, 'STORAGE_FAILED', message, { cause });
  }
}

/** A site file that somebody has to mend; it is left as it is, and what was asked for is not done. */
export class BrokenSiteFile extends GatewayError {
  constructor(why: string, cause?: unknown) {
    super(409, 'BROKEN_SITE_FILE', `${why}. The file was left as it is: mend it, and try again`, { cause });
  }
}

/** The key that secrets are to be sealed with can't be had. */
export class KeystoreNotRead extends GatewayError {
  constructor(message: string, cause?: unknown) {
    super(409, 'KEYSTORE_NOT_READ', message, { cause });
  }
}

export class TimedOut extends GatewayError {
  constructor(what: string) {
    super(504, 'TIMED_OUT', `${what} did not answer in time`);
  }
}

export const asGatewayError = (thrown: unknown): GatewayError =>
  thrown instanceof GatewayError ? thrown : new Internal(thrown);
