import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { adminPassword } from '../../helpers/accounts.js';
import { ownPort } from '../../helpers/ports.js';
import { start } from '../../helpers/processes.js';
import { copyInto, hostProject } from './project.js';

const next = 'node_modules/next/dist/bin/next';

/** Its servers open connections to nobody but their clients. */
const environment = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };

/** Builds what is in `project`; rejects with what Next.js said. */
export async function buildNext(project: string): Promise<void> {
  const build = start(process.execPath, [next, 'build'], { cwd: project, env: environment });
  if ((await build.exited) !== 0) throw new Error(build.output());
}

/** Runs a program in a project that is built; resolves its address once it has printed one, or is ready at the port. */
export async function served(
  t: Pick<Test, 'teardown'>,
  project: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const program = start(process.execPath, args, { cwd: project, env: { ...environment, ...env } });
  t.teardown(() => program.stop('SIGKILL'));
  const [, url = ''] = await program.printed(/(?:listening on|Local:) +(\S+)[\s\S]*?\n/);
  if (args.includes('start')) await program.printed(/Ready/);
  return url;
}

/** `next start` at a free port. */
export const nextStart = async (): Promise<readonly string[]> => [
  next,
  'start',
  ...['-H', '127.0.0.1', '-p', String(await ownPort())],
];

/** The two kinds of hosts that Next.js makes, of one build: each shows its gateway at the root and at /console. */
export async function nextHosts(t: Pick<Test, 'teardown'>) {
  const project = await hostProject(t);
  copyInto(project, 'next');
  await buildNext(project);
  const host = (name: string, trustProxy: unknown) => {
    const directory = join(project, name);
    mkdirSync(directory);
    return {
      ENGINE_DIRECTORY: directory,
      ADMIN_PASSWORD: adminPassword,
      TRUST_PROXY: JSON.stringify(trustProxy),
    };
  };
  return {
    customServer: () => served(t, project, ['server.mjs'], host('custom', 'loopback')),
    // A route handler does not know where a request comes from: the count of proxies has to do.
    routeHandler: async () => served(t, project, await nextStart(), host('routes', 1)),
  };
}
