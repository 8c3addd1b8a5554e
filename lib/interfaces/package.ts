import type { Readable } from 'node:stream';
import type { OperatorClassDesc } from '../model/logical-plan.js';
import type { CallOptions } from './call-options.js';

/** An application package as a driver is given it, checked and unchanging. Open until the call that it was given to settles. */
export interface PackageContent {
  readonly owner: string;
  readonly name: string;
  readonly version: string;
  /** SHA-256 of the archive as it came, lower-case hexadecimal: the same digest is the same content. */
  readonly digest: string;
  /** In the order of the archive; without directories. */
  readonly files: readonly PackageFile[];
  /** A whole file. Rejects with `NotFound`, and with `TooLarge` when it has more than `maxBytes`. */
  read(file: string, maxBytes: number): Promise<Buffer>;
  /** The same as it comes, for files of any size: read it to its end or destroy it. Fails with `NotFound`. */
  open(file: string): Readable;
  /**
   * The archive, for engines that unpack it themselves: an archive without entries for its directories gets them here.
   * Read it to its end or destroy it.
   */
  archive(): Readable;
}

export interface PackageFile {
  /** With its folders, as in the archive: `lib/operators.mjs`. */
  readonly name: string;
  /** Bytes, inflated. */
  readonly size: number;
}

/**
 * Operator classes that applications of a package can have, as this driver would run them: those that the package brings
 * along, and those that are there without. Absent: the gateway reads the package's
 * jars by itself.
 */
export interface PackageOperatorReader {
  /** Whether it answers for jars too; if not, the gateway adds what it reads in them. */
  readonly readsJars: boolean;
  /**
   * In the order of files and names. A file that can't be read costs only itself and is one of `problems`. The driver
   * remembers answers by digest where they are costly. Rejects when nothing could be found out at all: with
   * `Unreachable`, `TimedOut`, `TooManyRequests`.
   */
  describe(content: PackageContent, options?: CallOptions): Promise<PackageOperators>;
}

export interface PackageOperators {
  readonly classes: readonly PackageOperatorClass[];
  readonly problems: readonly PackageProblem[];
}

export interface PackageProblem {
  /** Of the package. */
  readonly file: string;
  /** One sentence, for whoever made the package. */
  readonly message: string;
}

export interface PackageOperatorClass extends OperatorClassDesc {
  /** Fully qualified. */
  readonly name: string;
  readonly title?: string;
  readonly shortDesc?: string;
  readonly longDesc?: string;
  readonly category?: string;
  readonly doclink?: string;
  readonly tags?: readonly string[];
  /** Property name to value of the property's own type. */
  readonly defaultValue?: Readonly<Record<string, unknown>>;
}

/** One application of a package. */
export interface PackagedApplication {
  /** As the package lists it. */
  readonly name: string;
  readonly type: 'json' | 'class' | 'properties';
  /** In the package: `app/words.json`, `app/words.jar`. */
  readonly file: string;
  /** Of an application in a jar. */
  readonly className?: string;
}
