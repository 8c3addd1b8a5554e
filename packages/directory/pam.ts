import { access } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type LoginSchemeFactory,
  type OptionChecks,
  option,
  readOptions,
  Unreachable,
  UnusableAnswer,
} from 'headgate/driver-kit';
import { askSaslauthd, requestOf } from './saslauthd.js';
import { systemUsers } from './system-users.js';

export interface PamOptions {
  /** The socket of saslauthd. Default: `/run/saslauthd/mux`. */
  readonly socket?: string;
  /** The program that tells users and groups of the system, as in coreutils. Default: `/usr/bin/id`. */
  readonly id?: string;
}

const pamOptions: OptionChecks<PamOptions> = { socket: option.path, id: option.program };

/**
 * Logs people in through the PAM stack of this system (type `pam`, `docs/identity.md`). Asks saslauthd, which runs as root
 * because PAM modules that read `/etc/shadow` must; the gateway needs no right but to open its socket.
 */
export function pamScheme(options: PamOptions = {}): LoginSchemeFactory<'pam'> {
  const { socket = '/run/saslauthd/mux', id = '/usr/bin/id' } = readOptions('pamScheme', options, pamOptions);
  const users = systemUsers(id);
  return async ({ serviceName, groupSupport }, { logger }) => {
    if (!(await hasService(serviceName))) {
      logger.warn(
        { event: 'pam.service_missing', serviceName },
        'this system has no such PAM service; PAM takes the one named "other" then',
      );
    }
    return {
      name: 'pam',
      async login({ userName, password }, { signal }) {
        const request = password === '' ? undefined : requestOf(userName, password, serviceName);
        if (!request) return undefined;
        let isRight: boolean;
        try {
          isRight = await askSaslauthd(socket, request, signal);
        } catch (error) {
          if (error instanceof UnusableAnswer) throw error;
          logger.warn(
            { event: 'pam.saslauthd_unreachable', socket, err: error },
            'saslauthd must run with -a pam, and its socket be open to this account',
          );
          throw new Unreachable('saslauthd', error);
        }
        if (!isRight) return undefined;
        try {
          // Systems that ask a directory take a name in any case; those that don't know it leave it to PAM alone.
          const name = (await users.nameOf(userName, signal)) ?? userName;
          return groupSupport
            ? { userName: name, groups: await users.groupsOf(name, signal) }
            : { userName: name };
        } catch (error) {
          throw new Unreachable('The users of the system', error);
        }
      },
    };
  };
}

async function hasService(serviceName: string): Promise<boolean> {
  const found = await Promise.allSettled(
    serviceDirectories.map((directory) => access(join(directory, serviceName))),
  );
  return found.some(({ status }) => status === 'fulfilled');
}

const serviceDirectories = ['/etc/pam.d', '/usr/lib/pam.d', '/usr/share/pam.d'];
