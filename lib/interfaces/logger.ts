/**
 * Where the gateway's log lines go: one call, one structured line. A pino logger fits as it is.
 * `fields.event` is the stable name of what happened, `mail.failed` for example; the message is for people, and its
 * wording may change. docs/operations.md (Log events) lists all events. `fields` never hold secrets. What it
 * throws costs the line, nothing else. Default: no log.
 */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
