/**
 * Where the gateway's log lines go: one call, one structured line. A pino logger fits as it is.
 * `fields` never hold secrets. Default: no log.
 */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
