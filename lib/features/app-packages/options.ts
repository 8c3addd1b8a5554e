import type { JarReader } from '../../interfaces/jar-reader.js';
import { type OptionChecks, option } from '../../runtime/option-checks.js';
import { type ArchiveLimits, defaultArchiveLimits } from './archive/limits.js';

/** What a host decides about packages. */
export interface PackageOptions {
  /** What an archive may be. Default: 2 GiB, 100,000 entries, 8 GiB inflated. */
  readonly limits?: Partial<ArchiveLimits>;
  /** Uploads under way; more are answered with 429. Default 8. */
  readonly uploadsAtOnce?: number;
  /** Other changes under way and waiting for each other, which copy the package; more are answered with 429. Default 16. */
  readonly changesAtOnce?: number;
  /** Where packages lie on this machine for users to import them (`platform.gateway.importDirectory`). Default: what that property says. */
  readonly importDirectory?: string;
  /** What reads the classes in jars of packages: `jarReader()` of `@headgate/jars`. Default: none, jars are not looked into. */
  readonly jars?: JarReader | undefined;
}

export const packageOptions: OptionChecks<PackageOptions> = {
  limits: option.limits(defaultArchiveLimits, 0),
  uploadsAtOnce: option.atLeast(1),
  changesAtOnce: option.atLeast(1),
  importDirectory: option.path,
  jars: option.instance(['read', 'applications'], 'jarReader() of @headgate/jars'),
};
