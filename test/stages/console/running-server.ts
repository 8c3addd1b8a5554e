import { join } from 'node:path';
import type { Test } from 'tap';
import { type Client, createClient } from '../../../lib/client.js';
import { testFolder } from '../../helpers/folder.js';
import { ownPort } from '../../helpers/ports.js';
import { start } from '../../helpers/processes.js';

export const administrator = { userName: 'admin', password: 'correct-horse' };

export interface RunningServer {
  readonly baseUrl: string;
  /** Logged in as the administrator: what a screen did is read back with it. */
  readonly client: Client;
  readonly folder: string;
}

const root = join(import.meta.dirname, '../../../..');

interface RestartableServer extends RunningServer {
  /** Kills its process; resolves when it is gone. */
  kill(): Promise<unknown>;
  /** Starts it again, on its port and with its data. */
  startAgain(): Promise<void>;
}

/** The bundled server with the embedded engine, its demo application and the example packages to import; as `npm start` has it. */
export const runningServer = (
  t: Pick<Test, 'teardown' | 'testdir'>,
  flags: readonly string[] = [],
): Promise<RunningServer> => serverAt(t, 0, flags);

/** The same, for a test that ends it while somebody looks. */
export const restartableServer = async (t: Pick<Test, 'teardown' | 'testdir'>): Promise<RestartableServer> =>
  serverAt(t, await ownPort());

async function serverAt(
  t: Pick<Test, 'teardown' | 'testdir'>,
  port: number,
  flags: readonly string[] = [],
): Promise<RestartableServer> {
  const folder = testFolder(t);
  const launched = () =>
    start(
      process.execPath,
      [join(root, 'examples/server/server.js'), '--port', String(port), '--data', folder, ...flags],
      { cwd: root, env: { HEADGATE_ADMIN_PASSWORD: administrator.password } },
    );
  let program = launched();
  t.teardown(() => program.stop());
  const listening = () => program.printed(/Headgate listening on (\S+)/);
  const [, baseUrl = ''] = await listening();
  const client = createClient({ baseUrl });
  await client.login({ body: administrator });
  t.teardown(() => client.close());
  return {
    baseUrl,
    client,
    folder,
    kill: () => program.stop('SIGKILL'),
    async startAgain() {
      program = launched();
      await listening();
    },
  };
}
