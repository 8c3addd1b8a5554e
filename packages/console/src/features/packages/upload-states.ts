import type { PackageRef } from './rows.js';

export type MergeMode = 'replace' | 'fail' | 'ours' | 'theirs';

/** One file on its way to the gateway. */
export interface Upload {
  readonly id: number;
  readonly file: File;
  readonly sent: number;
  /** Bytes. */
  readonly total: number;
  /** `checking`: all of it was sent, and the gateway looks at it. */
  readonly state: 'sending' | 'checking' | 'done' | 'failed';
  readonly error?: Error;
  /** What it became; absent for configuration packages. */
  readonly made?: PackageRef;
}

export const withUpload = (
  uploads: readonly Upload[],
  id: number,
  change: Partial<Upload>,
): readonly Upload[] => uploads.map((upload) => (upload.id === id ? { ...upload, ...change } : upload));

export const without = (uploads: readonly Upload[], id: number): readonly Upload[] =>
  uploads.filter((upload) => upload.id !== id);

/** Told by the browser; one that has ended meanwhile stays as it is. */
export const afterProgress = (
  uploads: readonly Upload[],
  id: number,
  sent: number,
  total: number,
): readonly Upload[] =>
  uploads.map((upload) =>
    upload.id === id && (upload.state === 'sending' || upload.state === 'checking')
      ? { ...upload, sent, total, state: sent >= total ? 'checking' : 'sending' }
      : upload,
  );

/** Whole percent; an empty file is sent at once. */
export const percentOf = ({ sent, total }: Upload): number =>
  total === 0 ? 100 : Math.min(100, Math.floor((sent / total) * 100));
