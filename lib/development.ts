import { UnusableAnswer } from './model/errors.js';
import { type GatewayOptions, silent } from './options.js';

/**
 * In development what drivers answer is held against their interfaces: a wrong answer becomes an error that the log explains.
 * Otherwise nothing is loaded and nothing is looked at.
 */
export async function checkedInDevelopment(options: GatewayOptions): Promise<GatewayOptions> {
  if (!options.development) return options;
  const { checkedDrivers } = await import('./driver-answers/checked.js');
  const { storage, cluster, auth, containers, secrets, logger = silent } = options;

  const refuse: Parameters<typeof checkedDrivers.cluster>[1] = ({ driver, call, problem }) => {
    logger.error({ event: 'driver.wrong_answer', driver, call, problem }, 'a driver gave a wrong answer');
    const cause = new TypeError(`The ${driver}: ${call}() gives a wrong answer: ${problem}`);
    return new UnusableAnswer('A driver', 'gave a wrong answer; the log says which', { cause });
  };

  return {
    ...options,
    storage: checkedDrivers.storage(storage, refuse),
    cluster: checkedDrivers.cluster(cluster, refuse),
    ...(auth === undefined || auth === 'none' ? {} : { auth: checkedDrivers.authenticator(auth, refuse) }),
    ...(containers ? { containers: checkedDrivers.containerRuntime(containers, refuse) } : {}),
    ...(secrets ? { secrets: checkedDrivers.secrets(secrets, refuse) } : {}),
  };
}
