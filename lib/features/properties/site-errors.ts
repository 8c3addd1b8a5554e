import { DocumentedError } from '../../model/errors.js';

/** A site file that somebody has to mend; it is left as it is, and what was asked for is not done. */
export class BrokenSiteFile extends DocumentedError {
  constructor(why: string, cause?: unknown) {
    super('BROKEN_SITE_FILE', `${why}. The file was left as it is: mend it, and try again`, { cause });
  }
}

/** The key that secrets are to be sealed with can't be had. */
export class KeystoreNotRead extends DocumentedError {
  constructor(message: string, cause?: unknown) {
    super('KEYSTORE_NOT_READ', message, { cause });
  }
}
