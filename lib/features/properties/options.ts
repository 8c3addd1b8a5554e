import { type OptionChecks, option } from '../../runtime/option-checks.js';

/** Where the configuration of the platform is kept in files that a person may edit. */
export interface SiteOptions {
  /**
   * Folder of `platform-site.xml` (scope GLOBAL) and `platform-site.local.xml` (LOCAL), made at the first change. Default:
   * none, the properties are kept in the storage.
   */
  readonly directory?: string;
  /** The service account's own file (USER): read, and never written. Default: none. */
  readonly userFile?: string;
}

export const siteOptions: OptionChecks<SiteOptions> = { directory: option.path, userFile: option.path };
