import { GatewayError } from 'headgate/driver-kit';

/** Where the cluster's disks, or the quota of a folder, are used up. */
export class NoSpace extends GatewayError {
  constructor(said: string) {
    super(507, 'NO_SPACE', 'The file system of the cluster is full, or a quota in it is used up', {
      details: { said },
    });
  }
}

/** How the file system says so, also in the words of the command line. */
export const saysNoSpace = (text: string): boolean =>
  /QuotaExceededException|quota of .{1,300} is exceeded|could only be replicated to|No space left on device/.test(
    text,
  );
