import { execFile } from 'node:child_process';
import { ownedProcess } from 'headgate/driver-kit';

/** The users and groups of this system, wherever it has them from (nsswitch.conf), as `id` tells them. */
interface SystemUsers {
  /** The name as the system writes it; `undefined` when it has no such user. */
  nameOf(userName: string, signal: AbortSignal): Promise<string | undefined>;
  groupsOf(userName: string, signal: AbortSignal): Promise<readonly string[]>;
}

/** A directory behind the system that does not answer. */
const askMillis = 5000;
/** A thousand groups with long names. */
const maxAnswerBytes = 128 * 1024;

export function systemUsers(program: string): SystemUsers {
  const id = (options: string, userName: string, signal: AbortSignal) =>
    new Promise<readonly string[] | undefined>((resolve, reject) => {
      // To `id` digits are a number of a user, and 0 is root.
      if (/^\+?\d+$/.test(userName)) return resolve(undefined);
      const limits = { signal, timeout: askMillis, maxBuffer: maxAnswerBytes, env: { LC_ALL: 'C' } };
      ownedProcess(
        execFile(program, [options, '--', userName], limits, (error, stdout, stderr) => {
          const texts = stdout.split('\0').filter((text) => text !== '');
          // Also when it knew no name for one of the groups, which it then tells by number.
          if (!error || (error.code === 1 && texts.length > 0)) resolve(texts);
          else if (error.code === 1 && stderr.includes('no such user')) resolve(undefined);
          else reject(error);
        }),
      );
    });

  return {
    nameOf: async (userName, signal) => (await id('-unz', userName, signal))?.[0],
    groupsOf: async (userName, signal) => (await id('-Gnz', userName, signal)) ?? [],
  };
}
