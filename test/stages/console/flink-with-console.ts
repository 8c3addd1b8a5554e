import { streamConsole } from '@headgate/console';
import { passwordSessions } from '../../../adapters/auth/password.js';
import { type FlinkGateway, flinkGateway } from '../../helpers/flink.js';
import { makeHashesCheap } from '../../helpers/hashes.js';
import { administrator } from './running-server.js';

/** A gateway with the console over a double of Flink; its client is logged in as the administrator. */
export async function flinkWithConsole(
  ...[t, options]: Parameters<typeof flinkGateway>
): Promise<FlinkGateway> {
  makeHashesCheap();
  const initialAdmin = { password: administrator.password };
  const mounted = { auth: passwordSessions(), initialAdmin, console: streamConsole() };
  const found = await flinkGateway(t, options, mounted);
  await found.client.login({ body: administrator });
  return found;
}
