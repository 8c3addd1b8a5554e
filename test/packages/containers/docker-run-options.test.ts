import t from 'tap';
import { parseAddress } from '../../../packages/containers/docker/address.js';
import { createBody } from '../../../packages/containers/docker/create-body.js';
import { lastLineOf, textOfFrames } from '../../../packages/containers/docker/multiplexed.js';
import { offeredOptions, parseRun } from '../../../packages/containers/docker/run-options.js';

// Words of `run`, and what they become for the runtime: pure tables.

const rules = { hostPaths: ['/srv/data'], hostNetwork: true };
const words = (line: string) => line.split(' ');
const bodyOf = (line: string) => {
  const { run, problems } = parseRun(words(line), rules, 'known');
  if (!run) throw new Error(problems.join('; '));
  return createBody(run, { 'headgate.owner': 'me' }, '127.0.0.1');
};

t.test('options become members of the request', async (t) => {
  const rows: [line: string, members: object][] = [
    ['redis', { Image: 'redis:latest' }],
    ['localhost:5000/a/b', { Image: 'localhost:5000/a/b:latest' }],
    [`redis@sha256:${'a'.repeat(64)} x`, { Image: `redis@sha256:${'a'.repeat(64)}`, Cmd: ['x'] }],
    ['redis:7 redis-server --port -p -e', { Cmd: ['redis-server', '--port', '-p', '-e'] }],
    ['-e A=b --env=C=d=e --env F= -eG=h -e=I=j x:1', { Env: ['A=b', 'C=d=e', 'F=', 'G=h', 'I=j'] }],
    ['-d --detach x:1', { Image: 'x:1' }],
    ['-l a=b --label c x:1', { Labels: { a: 'b', c: '', 'headgate.owner': 'me' } }],
    ['-m 64m x:1', { HostConfig: { Memory: 64 * 2 ** 20 } }],
    ['--memory 1G x:1', { HostConfig: { Memory: 2 ** 30 } }],
    ['--memory=8388608 x:1', { HostConfig: { Memory: 8_388_608 } }],
    ['--cpus 0.5 x:1', { HostConfig: { NanoCpus: 500_000_000 } }],
    ['--net host x:1', { HostConfig: { NetworkMode: 'host' } }],
    ['--network own_net x:1', { HostConfig: { NetworkMode: 'own_net' } }],
    ['--entrypoint /bin/sh x:1 -c date', { Entrypoint: ['/bin/sh'], Cmd: ['-c', 'date'] }],
    ['-w /work -u 1000:1000 -h box x:1', { WorkingDir: '/work', User: '1000:1000', Hostname: 'box' }],
    ['--read-only --init x:1', { HostConfig: { ReadonlyRootfs: true, Init: true } }],
    ['-v data:/var/data x:1', { HostConfig: { Binds: ['data:/var/data'] } }],
    ['-v /srv/data/x:/x:ro x:1', { HostConfig: { Binds: ['/srv/data/x:/x:ro'] } }],
    ['-p 80 x:1', { ExposedPorts: { '80/tcp': {} } }],
    ['-p 80 x:1', { HostConfig: { PortBindings: { '80/tcp': [{ HostIp: '127.0.0.1', HostPort: '' }] } } }],
    ['-p 8080:80/udp x:1', { HostConfig: { PortBindings: { '80/udp': [{ HostPort: '8080' }] } } }],
    [
      '-p 0.0.0.0:1:2 -p [::1]::2 x:1',
      {
        HostConfig: {
          PortBindings: {
            '2/tcp': [
              { HostIp: '0.0.0.0', HostPort: '1' },
              { HostIp: '::1', HostPort: '' },
            ],
          },
        },
      },
    ],
    ['x:1', { HostConfig: { RestartPolicy: { Name: 'no' } } }],
    ['-- x:1', { Image: 'x:1' }],
  ];
  for (const [line, members] of rows) t.match(bodyOf(line), members, line);
});

t.test('what is not offered is named, with what there is', async (t) => {
  const rows: [line: string, message: RegExp][] = [
    ['--privileged x', /^--privileged is not offered here; there are .*--publish/],
    ['--restart=always x', /^--restart is not offered here: the gateway itself starts/],
    ['--rm x', /^--rm is not offered/],
    ['--name me x', /^--name is not offered/],
    ['--cap-add ALL x', /^--cap-add is not offered/],
    ['-it x', /^-i is not offered/],
    ['-di x', /^-di is not offered/],
    ['--detach=true x', /^--detach is not offered/],
    ['-e HOME x', /^-e needs NAME=value: nothing is taken from the environment/],
    ['-l headgate.owner=you x', /^-l .*does not begin with headgate/],
    ['-v /etc:/etc x', /^-v mounts \/etc, which is below none/],
    ['-v /srv/data/../secret:/x x', /^-v mounts/],
    ['-v /srv/database:/x x', /^-v mounts/],
    ['-v data x', /^-v needs name:/],
    ['-v data:relative x', /^-v needs name:/],
    ['-v ../x:/x x', /^-v "..\/x" is no name/],
    ['-p 0:80 x', /^-p needs ports/],
    ['-p 70000 x', /^-p needs ports/],
    ['-p 80-90 x', /^-p needs ports/],
    ['-m 1k x', /^-m needs 6m or more/],
    ['-m much x', /^-m needs/],
    ['--cpus 0 x', /^--cpus needs/],
    ['--network container:other x', /^--network needs/],
    ['-u root;id x', /^-u can't be/],
    ['-e', /^-e needs a value$/],
    ['-d', /^names no image$/],
    ['UPPER//x', /is no name of an image/],
  ];
  for (const [line, message] of rows) {
    const { run, problems } = parseRun(words(line), rules, 'known');
    t.equal(run, undefined, line);
    t.ok(
      problems.some((problem) => message.test(problem)),
      `${line}: ${problems}`,
    );
  }
  t.match(parseRun(words('--network host x'), {}, 'known').problems, [/host is not offered/]);
  for (const option of ['env', 'publish', 'volume', 'memory', 'cpus', 'network', 'entrypoint', 'label'])
    t.ok(offeredOptions.includes(option));
});

t.test('all that is wrong is told at once, and open values are none of it', async (t) => {
  const problemsOf = (line: string, values: 'open' | 'known' = 'open') =>
    parseRun(words(line), {}, values).problems;
  t.equal(problemsOf('--privileged --rm -e A x').length, 3);
  t.strictSame(problemsOf('-p ${.port}:80 -m ${.memory} -v ${.dir}:/x ${.image} y'), []);
  t.match(problemsOf('--privileged=${.x} y'), [/--privileged/]);
  t.match(problemsOf('-m ${ x'), [/-m needs/], 'no variable, and never will be one');
  const known = problemsOf('-u ${.user} -m ${.memory} ${.image}', 'known');
  t.match(known, [/-u can't/, /-m needs/, /no name of an image/]);
});

t.test('addresses of runtimes', async (t) => {
  t.match(parseAddress('unix:///run/x.sock'), {
    url: 'unix:///run/x.sock',
    connection: { socketPath: '/run/x.sock' },
    machine: '127.0.0.1',
  });
  t.match(parseAddress('http://10.0.0.7:2375'), {
    url: 'http://10.0.0.7:2375',
    connection: { host: '10.0.0.7', port: 2375 },
    isLocal: false,
  });
  t.match(parseAddress('http://[::1]:2375/'), { connection: { host: '::1' }, isLocal: true });
  const wrong = [
    '',
    'x',
    '/run/x.sock',
    'unix://run/x.sock',
    'unix:///',
    'https://x',
    'tcp://x:1',
    'ssh://x',
  ];
  for (const text of [
    ...wrong,
    'http://u:p@x',
    'http://x/path',
    'http://x/?q=1',
    `unix:///${'x'.repeat(107)}`,
  ])
    t.throws(() => parseAddress(text), { code: 'ADDRESS_NOT_VALID' }, text);
});

t.test('what programs print comes in frames', async (t) => {
  const frame = (kind: number, text: string) => {
    const head = Buffer.alloc(8);
    head[0] = kind;
    head.writeUInt32BE(Buffer.byteLength(text), 4);
    return Buffer.concat([head, Buffer.from(text)]);
  };
  const whole = Buffer.concat([frame(1, 'one\n'), frame(2, '\u001b[31mtwo\n\n')]);
  t.equal(lastLineOf(textOfFrames(whole)), '[31mtwo');
  t.equal(lastLineOf(textOfFrames(whole.subarray(0, -4))), '[31mt', 'the last one is cut');
  t.equal(lastLineOf(textOfFrames(whole.subarray(0, 6))), undefined);
  t.equal(textOfFrames(frame(1, 'x'.repeat(100)), 10), 'x'.repeat(10));
});
