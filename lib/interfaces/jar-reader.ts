import type { ClassApplication, JarContents } from '../model/jar-contents.js';
import type { PackageContent } from './package.js';
import type { Blob } from './storage.js';

/** The package that jars lie in. */
export interface JarSource extends Pick<PackageContent, 'files' | 'read'> {
  /**
   * A file to be read at any place, where it lies in the package uncompressed; `undefined` otherwise. Rejects with `NotFound`. Absent:
   * none does.
   */
  stored?(file: string): Promise<Pick<Blob, 'size' | 'read' | 'stream'> | undefined>;
}

/**
 * Reads what is in the jars of packages, without a JVM: `jarReader()` of `@headgate/jars`. One package at a time, in slices
 * between which the event loop is free.
 */
export interface JarReader {
  /** Larger than 0. Raise it when more, or something else, is read: what was kept by another one is read anew. */
  readonly format: number;
  /**
   * Everything. `classPath` is the manifest's. A file that can't be read costs only itself. Rejects when the package itself
   * can't be read, with the reason of the signal, and with `TooManyRequests`.
   */
  read(source: JarSource, classPath: readonly string[], signal: AbortSignal): Promise<JarContents>;
  /** The applications only: of libraries nothing is read but the ancestors of what may be one. */
  applications(
    source: JarSource,
    classPath: readonly string[],
    signal: AbortSignal,
  ): Promise<ClassApplication[]>;
  /** Classes of jars in `app/` that are started by their `main`: those that manifests name go first. */
  programs(source: JarSource, signal: AbortSignal): Promise<ClassApplication[]>;
}
