import type { Logger } from '../interfaces/logger.js';
import type { GatewayError } from '../model/errors.js';
import { answerLevel } from './log-level.js';
import type { GatewayRequest } from './request.js';

interface LogEntry {
  readonly request: GatewayRequest;
  readonly path: string;
  readonly requestId: string;
  /** Empty: none was found. */
  readonly route: string;
  readonly userName: string;
  readonly error: GatewayError | undefined;
  /** As in `Route`. */
  readonly asksUsers: boolean;
  readonly status: number;
  readonly durationMillis: number;
}

/** One line a request. The query stays out: it may hold what a person typed. */
export function logRequest(logger: Logger, entry: LogEntry): void {
  const { request, error, status } = entry;
  const level = answerLevel(status, error, entry.asksUsers);
  const fields = {
    event: 'http.request',
    requestId: entry.requestId,
    method: request.method,
    path: entry.path,
    route: entry.route,
    status,
    durationMillis: Math.round(entry.durationMillis * 1000) / 1000,
    user: entry.userName,
    remoteAddress: request.remoteAddress,
    ...(error ? { code: error.code } : {}),
    ...(error && status >= 500 ? { err: error.cause ?? error } : {}),
  };
  try {
    if (level === 'error') logger.error(fields, 'request failed');
    else if (level === 'warn') logger.warn(fields, 'request failed');
    else logger.info(fields, 'request');
  } catch {
    // A logger that is out of order must not cost the answer, and there is nowhere to say it.
  }
}
