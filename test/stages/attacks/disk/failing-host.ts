import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkReplies } from '../../../../lib/client/replies.js';
import { type Client, createClient } from '../../../../lib/client.js';
import type { HostLaunch } from '../../../../lib/index.js';
import type { FailingDisk } from './failing-disk.js';
import type { Launched } from './host.js';

export interface FailingHost {
  readonly client: Client;
  launch(launch: HostLaunch): Promise<string>;
  /** As it is, or after it closed the gateway. */
  end(how: 'killed' | 'closed'): Promise<void>;
}

/** `host.ts` in this environment, which may make its disk fail: it, the containers of its engine, and what looks after programs of services. */
export async function startFailingHost(
  workFolder: string,
  folder: string,
  environment: FailingDisk['env'],
): Promise<FailingHost> {
  const runtime = join(workFolder, 'failing-node');
  const variables = Object.entries(environment).map(([name, value]) => `export ${name}='${value}'`);
  await writeFile(runtime, `#!/bin/sh\n${variables.join('\n')}\nexec '${process.execPath}' "$@"\n`, {
    mode: 0o755,
  });
  const child = fork(new URL('./host.js', import.meta.url), [folder, runtime], {
    execArgv: [],
    execPath: runtime,
    env: {},
    serialization: 'json',
  });
  const exited = once(child, 'exit');
  const gone = exited.then(([code, signal]): never => {
    throw new Error(`The host ended with ${code ?? signal}`);
  });
  gone.catch(() => {});
  const waiting = new Map<number, (told: Launched) => void>();
  const [{ baseUrl }] = await Promise.race([once(child, 'message'), gone]);
  child.on('message', (told: Launched) => waiting.get(told.n)?.(told));
  const client = createClient({ baseUrl, checkReplies });
  let launches = 0;
  return {
    client,
    async launch(launch) {
      const n = launches++;
      const answered = new Promise<Launched>((resolve) => waiting.set(n, resolve));
      child.send({ n, launch });
      const { id, error } = await Promise.race([answered, gone]);
      if (id === undefined) throw new Error(error);
      return id;
    },
    async end(how) {
      if (how === 'killed') child.kill('SIGKILL');
      else child.disconnect();
      await exited;
      client.close();
    },
  };
}
