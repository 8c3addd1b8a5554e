import { extname } from 'node:path';

/** `out.log`, part `1`, sequence 7 -> `out.1.000007.log`. Files are never renamed: a name means one content for good. */
export function rollingName(name: string, part: string | undefined, sequence: number): string {
  const extension = extname(name);
  const stem = extension ? name.slice(0, -extension.length) : name;
  return (
    [stem, part, String(sequence).padStart(6, '0')].filter((item) => item !== undefined).join('.') + extension
  );
}

/** The sequence number that `rollingName` put into a file's name; `undefined` for any other file. */
export function sequenceOf(file: string, name: string, part: string | undefined): number | undefined {
  const digits = /(\d{6,})(?:\.[^.]*)?$/.exec(file)?.[1];
  if (digits === undefined) return undefined;
  const sequence = Number(digits);
  return rollingName(name, part, sequence) === file ? sequence : undefined;
}

/** Sequence numbers of the files to delete so that `maxFiles` are left, the newest being `current`. */
export const outdated = (sequences: readonly number[], current: number, maxFiles: number): number[] =>
  sequences.filter((sequence) => sequence <= current - maxFiles);
