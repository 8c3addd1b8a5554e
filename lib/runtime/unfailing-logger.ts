import type { Logger } from '../interfaces/logger.js';

/** The host's log may be in trouble of its own, a full disk for example: that costs a line, and never what is logged about. */
export function unfailingLogger(host: Logger): Logger {
  const attempt = (write: () => void) => {
    try {
      write();
    } catch {
      // The log was the place to say so.
    }
  };
  return {
    debug: (fields, message) => attempt(() => host.debug(fields, message)),
    info: (fields, message) => attempt(() => host.info(fields, message)),
    warn: (fields, message) => attempt(() => host.warn(fields, message)),
    error: (fields, message) => attempt(() => host.error(fields, message)),
  };
}
