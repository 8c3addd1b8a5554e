import type { ErrorCode } from '../model/reasons.js';

/**
 * The gateway's own codes (docs/reference.md, Error codes), those of its live topics, and the client's: for a `switch`,
 * and not all that there are. A newer gateway and a host's drivers may have more.
 */
export type ClientCode =
  | ErrorCode
  | 'TOO_MANY'
  | 'BAD_MESSAGE'
  | 'INVALID_CALL'
  | 'UNEXPECTED_REPLY'
  | (string & Record<never, never>);

/** What went wrong with a call. Branch on `code`; `message` is for people. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  /** Of the answer; 0 when there was none (`UNREACHABLE`) or nothing was sent (`INVALID_CALL`). */
  readonly status: number;
  /** The gateway's own code, or `UNREACHABLE`, `INVALID_CALL`, `UNEXPECTED_REPLY`. */
  readonly code: ClientCode;
  readonly details: unknown;
  /** The line of the gateway's log that tells more. */
  readonly requestId: string | undefined;

  constructor(
    status: number,
    code: ClientCode,
    message: string,
    more: { details?: unknown; requestId?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.status = status;
    this.code = code;
    this.details = more.details;
    this.requestId = more.requestId;
  }
}

/** The gateway's error body, or a description of what came instead: a proxy's page, a host's 404. */
export async function errorOf(response: Response, what: string): Promise<ClientError> {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const text = await response.text().catch(() => '');
  const body = jsonOf(text);
  if (isErrorBody(body)) {
    return new ClientError(response.status, body.code, body.message, { details: body.details, requestId });
  }
  const message = `${what} was answered with ${response.status}, and not by the gateway`;
  return new ClientError(response.status, 'UNEXPECTED_REPLY', message, {
    details: text.slice(0, 500),
    requestId,
  });
}

/** `undefined` for what is no JSON. */
export const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isErrorBody = (body: unknown): body is { message: string; code: string; details?: unknown } =>
  typeof body === 'object' &&
  body !== null &&
  'message' in body &&
  typeof body.message === 'string' &&
  'code' in body &&
  typeof body.code === 'string';
