import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { adminPassword } from '../../helpers/accounts.js';
import { ownPort } from '../../helpers/ports.js';
import { run, start } from '../../helpers/processes.js';
import { copyInto, hostProject } from './project.js';

/** Of a project of this stage. */
export const nextBinary = (project: string): string => join(project, 'node_modules/next/dist/bin/next');

/** Its servers open connections to nobody but their clients. */
export const nextEnvironment = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };

/** Builds what is in a project, or in a folder of it; rejects with what Next.js said. */
export const buildNext = (project: string, folder = project): Promise<string> =>
  run(process.execPath, [nextBinary(project), 'build'], { cwd: folder, env: nextEnvironment });

/** The two kinds of hosts that Next.js makes, of one build: each shows its gateway at the root and at /console. */
export async function nextHosts(t: Pick<Test, 'teardown'>) {
  const project = await hostProject(t);
  copyInto(project, 'next');
  await buildNext(project);
  /** Resolves its address once it listens. */
  const served = async (name: string, args: readonly string[], trustProxy: unknown): Promise<string> => {
    const directory = join(project, name);
    mkdirSync(directory);
    const env = {
      ...nextEnvironment,
      ENGINE_DIRECTORY: directory,
      ADMIN_PASSWORD: adminPassword,
      TRUST_PROXY: JSON.stringify(trustProxy),
    };
    const program = start(process.execPath, args, { cwd: project, env });
    t.teardown(() => program.stop('SIGKILL'));
    const [, url = ''] = await program.printed(/(?:listening on|Local:) +(\S+)\n/);
    if (args.includes('start')) await program.printed(/Ready in/);
    return url;
  };
  return {
    customServer: () => served('custom', ['server.mjs'], 'loopback'),
    async routeHandler() {
      const port = String(await ownPort());
      const args = [nextBinary(project), 'start', '-H', '127.0.0.1', '-p', port];
      // A route handler does not know where a request comes from: the count of proxies has to do.
      return served('routes', args, 1);
    },
  };
}
