import { pathToFileURL } from 'node:url';
import t from 'tap';
import { dockerRuntime } from '../../../packages/containers/index.js';
import { containerRuntimeContract } from '../../../packages/contracts/index.js';
import { limitMillis } from '../../helpers/waiting.js';
import { image, loadable, startPodman } from './podman.js';

// What the contract of container runtimes says, and what options come to, on a real Podman.

const podman = await startPodman();
t.teardown(() => podman.close());
const srcUrl = pathToFileURL(podman.archive).href;
const lasting = 'trap "exit 0" TERM; while true; do sleep 0.2; done';
const create = () =>
  dockerRuntime({
    hostNetwork: true,
    hostPaths: [podman.directory],
    host: `unix://${podman.socket}`,
    // A machine with much to do.
    limits: { timeoutMillis: 60_000 },
  });
const context = {
  owner: '00112233445566778899',
  logger: { debug() {}, info() {}, warn() {}, error() {} },
  clock: { now: () => Date.now(), monotonic: () => performance.now() },
};

if (podman.cannotRun === undefined)
  await containerRuntimeContract(t, {
    create,
    script: (script) => ({ run: ['--network', 'host', image, 'sh', '-c', script] }),
    limited: (script, megabytes) => ({
      run: ['--memory', `${megabytes}m`, '--network', 'none', image, 'sh', '-c', script],
    }),
    exec: (code) => ['sh', '-c', `exit ${code}`],
    refused: { run: ['--privileged', image], names: '--privileged' },
    missing: { run: ['localhost/headgate-nowhere:1'] },
    fetched: { srcUrl, run: ['--network', 'host', loadable, 'sh', '-c', lasting] },
    createUnreachable: () =>
      dockerRuntime({ hostNetwork: true, host: `unix://${podman.directory}/nobody.sock` }),
  });
else t.comment(`No container can be started on this machine: ${podman.cannotRun}`);

const unlessItCannot = podman.cannotRun === undefined ? {} : { skip: podman.cannotRun };

t.test('what needs no container: the version, images, and what there is', async (t) => {
  const runtime = create();
  await runtime.open(context);
  t.match(await runtime.info(), { version: /^\d+\.\d+\.\d+/ });
  t.strictSame(await runtime.list(), []);
  await podman.podman('rmi', '--force', loadable).catch(() => {});
  const spec = { name: 'images', revision: '1', srcUrl, run: [loadable] };
  const told: string[] = [];
  await runtime.install(spec, { onProgress: (sentence) => told.push(sentence) });
  t.match(told[0], 'Fetching the archive of srcUrl');
  t.match(await podman.podman('images'), /headgate-loadable/);
  await runtime.install(spec, { onProgress: (sentence) => told.push(sentence) });
  t.equal(told.length, 1, 'once');
  const other = { ...spec, run: ['localhost/headgate-other:1'] };
  await t.rejects(runtime.install(other), {
    code: 'CONTAINER_FAILED',
    message: /no image localhost\/headgate-other:1/,
  });
  await runtime.close();
});

t.test('a web server with most of the options, through the port that it tells', unlessItCannot, async (t) => {
  const runtime = create();
  await runtime.open(context);
  const spec = {
    name: 'web',
    revision: '7',
    run: [
      ...['-d', '--network', 'slirp4netns', '-p', '8080', '-e', 'GREETING=good morning', '--memory', '64m'],
      ...['--cpus', '0.5', '-l', 'team=blue', '-v', 'headgate-web:/srv/www', '-w', '/srv/www', '-h', 'box'],
      ...['-v', `${podman.directory}/containers.conf:/conf:ro`, '--entrypoint', '/bin/sh', image, '-c'],
      'echo "$GREETING from $PWD" > index.html; exec httpd -f -p 8080',
    ],
    exec: ['sh', '-c', 'until test -s /srv/www/index.html; do sleep 0.1; done; cat /conf > conf.txt'],
  };
  t.strictSame(runtime.check(spec), []);
  await runtime.install(spec);
  const { metadata, memoryMB } = await runtime.start(spec);
  t.match(metadata, { ip: '127.0.0.1', port: /^\d+$/, 'port.8080': metadata?.['port'] });
  t.ok(memoryMB === undefined || memoryMB < 64);
  const page = await untilItAnswers(`http://127.0.0.1:${metadata?.['port']}/`);
  t.equal(page, 'good morning from /srv/www\n');
  t.match(await untilItAnswers(`http://127.0.0.1:${metadata?.['port']}/conf.txt`), /cgroup_manager/);

  const [told] = JSON.parse(await podman.podman('inspect', 'headgate-001122334455-web'));
  t.match(told.HostConfig, { Memory: 64 * 2 ** 20, NanoCpus: 500_000_000 });
  t.match(told.Config, { Hostname: 'box', Labels: { team: 'blue', 'headgate.service': 'web' } });
  t.match(told.HostConfig.RestartPolicy, { Name: /^(no)?$/ });

  t.match(await podman.podman('volume', 'ls', '--quiet'), /headgate-web/);
  await runtime.remove('web');
  t.notMatch(await podman.podman('volume', 'ls', '--quiet'), /headgate-web/, 'its data is gone, too');
  await runtime.close();
});

t.test('what a container may use of memory is a limit that is named', unlessItCannot, async (t) => {
  const runtime = create();
  await runtime.open(context);
  const script = 'x=xxxxxxxxxxxxxxxx; while true; do x="$x$x"; done';
  await runtime.start({
    name: 'greedy',
    revision: '1',
    run: ['--memory', '16m', '--network', 'none', image, 'sh', '-c', script],
  });
  const report = await untilEnded(runtime);
  t.match(report?.reason, /more memory than it may \(16 MB\)|by signal 9|out of memory/);
  await runtime.remove('greedy');
  await runtime.close();
});

t.test('why it ended is the last line that it printed; who gives up hears so', unlessItCannot, async (t) => {
  const runtime = create();
  await runtime.open(context);
  const fail = (script: string) => ['--network', 'none', image, 'sh', '-c', script];
  const spec = { name: 'fails', revision: '1', run: fail('echo first; echo no such number >&2; exit 3') };
  await runtime.start(spec);
  await untilEnded(runtime);
  t.match(await runtime.list(), [{ state: 'ended', reason: 'It ended with code 3: no such number' }]);
  const exec = ['sh', '-c', 'echo no table >&2; exit 4'];
  await t.rejects(runtime.start({ ...spec, run: fail('while true; do sleep 1; done'), exec }), {
    code: 'CONTAINER_FAILED',
    message: 'exec: sh ended with code 4: no table',
  });
  const signal = AbortSignal.abort(new Error('given up'));
  await t.rejects(runtime.start(spec, { signal }), { message: 'given up' });
  await t.rejects(runtime.start({ ...spec, run: [image, '/no/such/program'] }), { code: 'CONTAINER_FAILED' });
  await runtime.remove('fails');
  t.strictSame(await runtime.list(), []);
  await runtime.close();
});

async function untilEnded(runtime: ReturnType<typeof create>) {
  const deadline = performance.now() + limitMillis;
  let [report] = await runtime.list();
  while (report?.state !== 'ended' && performance.now() < deadline) [report] = await runtime.list();
  return report;
}

async function untilItAnswers(url: string): Promise<string> {
  const deadline = performance.now() + limitMillis;
  for (;;) {
    const reply = await fetch(url).catch(() => undefined);
    const text = await reply?.text();
    if (reply?.ok && text !== undefined) return text;
    if (performance.now() > deadline) throw new Error(`${url} does not answer: ${reply?.status}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
