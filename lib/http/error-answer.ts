import { type GatewayError, NotLoggedIn } from '../model/errors.js';
import type { GatewayResponse } from './request.js';

/** The body of every error response. 5xx sentences are ours too: they never quote a cause. */
interface ErrorBody {
  readonly message: string;
  readonly code: string;
  readonly requestId: string;
  readonly details?: unknown;
  /** Of some errors: `error`, equal to `message`; `saved`. */
  readonly [member: string]: unknown;
}

export const errorBody = (error: GatewayError, requestId: string): ErrorBody => ({
  ...error.members,
  message: error.message,
  code: error.code,
  requestId,
  ...(error.details === undefined ? {} : { details: error.details }),
});

export function encodeError(
  error: GatewayError,
  requestId: string,
  challenge: (() => string | undefined) | undefined,
): GatewayResponse {
  const asked = error instanceof NotLoggedIn ? challenge?.() : undefined;
  return {
    status: error.status,
    headers: {
      'content-type': 'application/json',
      ...(asked === undefined ? {} : { 'www-authenticate': asked }),
      ...error.headers,
    },
    body: JSON.stringify(errorBody(error, requestId)),
  };
}
