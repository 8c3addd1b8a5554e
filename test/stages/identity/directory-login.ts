import type { SchemeUser } from '../../../lib/index.js';
import { AuthConfiguration } from '../../../lib/model/auth-configuration.js';
import { ldapScheme } from '../../../packages/directory/ldap.js';
import { type LogLine, loggerInto } from '../../helpers/gateway.js';

/** One login through a directory, with a configuration as it is sent. */
export async function directoryLogin(
  keys: Record<string, unknown>,
  userName: string,
  password: string,
  logs: LogLine[] = [],
): Promise<SchemeUser | undefined> {
  const configuration = AuthConfiguration.parse(keys);
  if (configuration.type !== 'ldap' && configuration.type !== 'ad') throw new Error('no directory');
  const scheme = await ldapScheme()(configuration, {
    clock: { now: () => 0, monotonic: () => performance.now() },
    logger: loggerInto(logs),
  });
  try {
    return await scheme.login?.({ userName, password }, { signal: AbortSignal.timeout(20_000) });
  } finally {
    await scheme.close?.();
  }
}
