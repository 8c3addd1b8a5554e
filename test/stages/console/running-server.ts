import { join } from 'node:path';
import type { Test } from 'tap';
import { type Client, createClient } from '../../../lib/client.js';
import { testFolder } from '../../helpers/folder.js';
import { start } from '../../helpers/processes.js';

export const administrator = { userName: 'admin', password: 'correct-horse' };

export interface RunningServer {
  readonly baseUrl: string;
  /** Logged in as the administrator: what a screen did is read back with it. */
  readonly client: Client;
  readonly folder: string;
}

const root = join(import.meta.dirname, '../../../..');

/** The bundled server with the embedded engine, its demo application and the example packages to import; as `npm start` has it. */
export async function runningServer(
  t: Pick<Test, 'teardown' | 'testdir'>,
  flags: readonly string[] = [],
): Promise<RunningServer> {
  const folder = testFolder(t);
  const words = [join(root, 'examples/server/server.js'), '--port', '0', '--data', folder, ...flags];
  const program = start(process.execPath, words, {
    cwd: root,
    env: { HEADGATE_ADMIN_PASSWORD: administrator.password },
  });
  t.teardown(() => program.stop());
  const [, baseUrl = ''] = await program.printed(/Headgate listening on (\S+)/);
  const client = createClient({ baseUrl });
  await client.login({ body: administrator });
  t.teardown(() => client.close());
  return { baseUrl, client, folder };
}
