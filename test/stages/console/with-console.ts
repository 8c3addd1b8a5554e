import { streamConsole } from '@headgate/console';
import { passwordSessions } from '../../../adapters/auth/password.js';
import { type FlinkGateway, flinkGateway } from '../../helpers/flink.js';
import { newGateway, type TestGateway } from '../../helpers/gateway.js';
import { makeHashesCheap } from '../../helpers/hashes.js';
import { administrator } from './running-server.js';

// Gateways with the console in this process, for what the bundled server has not; their clients are logged in as the administrator.

const mounted = () => {
  makeHashesCheap();
  const initialAdmin = { password: administrator.password };
  return { auth: passwordSessions(), initialAdmin, console: streamConsole() };
};

async function loggedIn<G extends TestGateway>(found: G): Promise<G> {
  await found.client.login({ body: administrator });
  return found;
}

export const gatewayWithConsole = async (
  ...[t, options]: Parameters<typeof newGateway>
): Promise<TestGateway> => loggedIn(await newGateway(t, { ...mounted(), ...options }));

/** Over a double of Flink. */
export const flinkWithConsole = async (
  ...[t, options]: Parameters<typeof flinkGateway>
): Promise<FlinkGateway> => loggedIn(await flinkGateway(t, options, mounted()));
