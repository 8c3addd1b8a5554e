import { ContainerFailed } from 'headgate/driver-kit';
import type { Places } from './program.js';

/** What the disk refuses is told in words that say what to do. */
export const saidOfDisk =
  (places: Places) =>
  (error: unknown): never => {
    throw isOfDisk(error, places) ? new ContainerFailed(unwritable(places, error), error) : error;
  };

/** Said by the disk, or about a file of this program: one that does not take part of a change may deny the rest of it. */
const isOfDisk = (error: unknown, { root }: Places): error is Error =>
  error instanceof Error &&
  'code' in error &&
  (/^(ENOSPC|EDQUOT|EIO|EROFS)$/.test(String(error.code)) ||
    ('path' in error && String(error.path).startsWith(root)));

const unwritable = ({ root }: Places, { message }: Error) =>
  `The program can't be written to ${root} (${message}): make room on that disk, or mend it`;
