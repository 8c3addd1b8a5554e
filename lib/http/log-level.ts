import type { GatewayError } from '../model/errors.js';

/** How loud the log tells of an answer. `error` calls somebody who looks after the gateway. */
type AnswerLevel = 'info' | 'warn' | 'error';

/** Codes of what users gave the gateway to do, and which failed by itself: their images, programs and mail servers. */
const failuresOfUsers: ReadonlySet<string> = new Set([
  'CONTAINER_FAILED',
  'MAIL_NOT_SENT',
  'TEST_MAIL_NOT_SENT',
]);

/**
 * The level of an answer's line. What is refused, and what the gateway was not given (501), is `info`; a program of users
 * that fails is `warn`; what is left from 500 on is a fault of the gateway or of what it needs, and `error`.
 * `asksUsers`: as in `Route`.
 */
export function answerLevel(
  status: number,
  error: Pick<GatewayError, 'code'> | undefined,
  asksUsers: boolean,
): AnswerLevel {
  if (status < 500 || status === 501) return 'info';
  if (error === undefined) return asksUsers ? 'info' : 'error';
  if (failuresOfUsers.has(error.code)) return 'warn';
  return asksUsers && [502, 503, 504].includes(status) ? 'warn' : 'error';
}
