import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { createClient } from '../../../lib/client.js';
import { packageWithDirectory } from '../../helpers/large-directories.js';
import { as } from '../../helpers/people.js';

// A legal package of 64 MB nearly all of which is its directory, and many requests at once that need one small file of
// it: each of them once read the directory whole, which took 5 GB for eighty.

const mebi = 1024 ** 2;
const directoryBytes = 62 * mebi;
const requestsAtOnce = 80;
/** Growth of the whole process over what it has after the upload. */
const maxGrowth = 300 * mebi;

const params = { owner: 'ada', name: 'sensors', version: '1.0.0' };

t.test('many requests for a file of a package with a huge directory take little memory', async (t) => {
  const gateway = fork(new URL('./gateway-process.js', import.meta.url), [], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  t.teardown(() => gateway.kill('SIGKILL'));
  const [{ baseUrl }] = await once(gateway, 'message');
  const ada = createClient({ baseUrl, ...as('ada', 'developer') });
  t.teardown(() => ada.close());
  await ada.uploadPackage({
    body: packageWithDirectory(directoryBytes, { 'conf/x.xml': '<configuration/>' }),
  });

  const before = residentBytes(gateway.pid);
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentBytes(gateway.pid));
  }, 20);
  const ask: Readonly<Record<string, () => Promise<unknown>>> = {
    'a configuration': async () =>
      (await ada.getPackageConfig({ params: { ...params, configName: 'x.xml' } })).text(),
    'operator classes': () => ada.listPackageOperators({ params }),
    'the package': () => ada.getPackage({ params }),
    applications: () => ada.listPackageApplications({ params }),
  };
  for (const [what, once] of Object.entries(ask)) {
    const answers = await Promise.allSettled(Array.from({ length: requestsAtOnce }, once));
    const failed = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    t.strictSame(failed, [], `${requestsAtOnce} times ${what}`);
  }
  clearInterval(watch);
  const growth = peak - before;
  t.comment(`${Math.round(growth / mebi)} MiB more than ${Math.round(before / mebi)} MiB`);
  t.ok(growth <= maxGrowth, `${Math.round(growth / mebi)} MiB of ${maxGrowth / mebi} MiB`);
});

/** By Linux. */
function residentBytes(pid: number | undefined): number {
  const [, kibi] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibi) * 1024;
}
