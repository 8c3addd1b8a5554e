import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { LaunchRequest, PackageContent } from '../../../lib/driver-kit.js';
import { testFolder } from '../../helpers/folder.js';
import { type OpenCluster, op, openCluster, stream } from '../../helpers/local-cluster.js';
import { packageContent } from '../../helpers/package-content.js';
import { eventually } from '../../helpers/waiting.js';

// Operators that packages bring in lib/*.mjs: looked at and run in processes of their own, never in this one.

const doubler = `
import { Operator } from '@headgate/operators';
import { z } from 'zod';
import { factorOf } from './parts/factor.mjs';

globalThis.packageCodeWasHere = true;

const properties = z.object({
  factor: z.number().int().default(2).describe('What tuples are multiplied by'),
  label: z.string().regex(/^[a-z]*$/, 'only small letters').default('x'),
});

export class Times extends Operator {
  static className = 'words.Times';
  static title = 'Times';
  static description = 'Multiplies numbers.';
  static tags = ['numbers'];
  static properties = properties;
  static inputs = { in: { type: 'number' } };
  static outputs = { out: { type: 'number' } };
  #seen = 0;

  process(_port, tuple) {
    this.#seen++;
    this.emit('out', factorOf(this.properties) * tuple);
  }
  checkpoint() {
    return this.#seen;
  }
  restore(seen) {
    this.#seen = seen;
  }
  counters() {
    return { seen: this.#seen };
  }
}

export class Twice extends Times {
  static className = 'words.Twice';
}
`;
const factor = 'export const factorOf = ({ factor }) => factor;\n';
const good = { 'lib/times.mjs': doubler, 'lib/parts/factor.mjs': factor, 'app/x.json': '{}' };

const application = (file: string, properties: Record<string, unknown> = {}, total = 50) => ({
  operators: [
    op('source', 'Sequence', { total, perSecond: 200 }),
    { name: 'times', class: 'words.Times', properties },
    op('out', 'Journal', { file }),
  ],
  streams: [stream('source.out -> times.in'), stream('times.out -> out.in')],
});

async function describe({ driver }: OpenCluster, content: PackageContent) {
  const reader = driver.resourceManager.packageOperators;
  if (!reader) throw new Error('no packageOperators');
  const { classes, problems } = await reader.describe(content);
  // Without the engine's own and the host's, which each package can use.
  return { classes: classes.filter(({ name }) => !/^(headgate|test)\./.test(name)), problems };
}

t.test('what a package brings is told as the API lists it, and none of it ran here', async (t) => {
  const cluster = await openCluster(t, { packageCode: true });
  const { classes, problems } = await describe(cluster, packageContent(good));
  t.strictSame(problems, []);
  t.match(
    classes.find(({ name }) => name === 'words.Times'),
    {
      title: 'Times',
      shortDesc: 'Multiplies numbers.',
      tags: ['numbers'],
      inputPorts: [{ name: 'in', optional: false, type: 'number' }],
      outputPorts: [{ name: 'out', optional: true, type: 'number' }],
      properties: [
        { name: 'factor', type: 'integer', description: 'What tuples are multiplied by', canSet: true },
        { name: 'label', type: 'string' },
      ],
      defaultValue: { factor: 2, label: 'x' },
    },
  );
  t.equal(classes.length, 2);
  t.notOk('packageCodeWasHere' in globalThis);
  const before = readdirSync(join(cluster.directory, 'packages')).length;
  await describe(cluster, packageContent({ ...good, 'app/x.json': '{"changed":true}' }));
  t.equal(readdirSync(join(cluster.directory, 'packages')).length, before, 'the same code is kept once');
});

t.test('a bad module costs only itself, and is told with its file', async (t) => {
  const cluster = await openCluster(t, { packageCode: true, limits: { examineMillis: 8000 } });
  const named = (name: string) => `
    import { Operator } from '@headgate/operators';
    import { z } from 'zod';
    export class A extends Operator { static className = '${name}'; static properties = z.object({}); }`;
  const bad: Record<string, [text: string, message: RegExp]> = {
    throws: ["throw new Error('no thanks')", /can't be imported: Error: no thanks/],
    buffers: [
      'const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1));',
      process.platform === 'linux' ? /ran out of 256 MB of memory/ : /was not imported/,
    ],
    loops: ['for (;;);', /was not imported within 8000 ms \(limits\.examineMillis\)/],
    waits: ['await new Promise(() => {});', /ended the process that imported it|was not imported/],
    exits: ['process.exit(0);', /ended the process that imported it \(code 0\)/],
    hungry: [
      'const all = []; for (;;) all.push(new Array(1e5).fill(all.length));',
      /ran out of 64 MB of memory/,
    ],
    syntax: ['export class {', /SyntaxError/],
    empty: ['export const nothing = 1;', /exports no operator class/],
    garbage: [
      "import { writeSync } from 'node:fs'; writeSync(3, '{\"classes\": 7}\\n'); process.exit(0);",
      /no description of operator classes/,
    ],
    endless: [
      "import { writeSync } from 'node:fs'; const text = 'x'.repeat(65536); for (;;) writeSync(3, text);",
      /longer than 131072 bytes/,
    ],
    stranger: ["import 'left-pad';", /Cannot find package 'left-pad' imported from lib\/stranger\.mjs/],
    nosy: [
      "import { readFileSync } from 'node:fs'; readFileSync('/etc/hostname');",
      /ERR_ACCESS_DENIED|restricted/,
    ],
    forks: [
      "import { spawnSync } from 'node:child_process'; spawnSync('true');",
      /ERR_ACCESS_DENIED|restricted/,
    ],
    huge: [
      `import { Operator } from '@headgate/operators';
      import { z } from 'zod';
      const names = Array.from({ length: 600 }, (_, index) => ['p' + index, z.string().optional()]);
      export class Huge extends Operator {
        static className = 'words.Huge';
        static properties = z.object(Object.fromEntries(names));
      }`,
      /words\.Huge can't be described: properties: there are more than 500/,
    ],
    reserved: [named('headgate.io.Mine'), /names that begin with headgate\. are the engine's own/],
    taken: [named('test.Sequence'), /test\.Sequence is a class of the host already/],
    zwice: [named('words.Times'), /words\.Times is in lib\/times\.mjs already/],
  };
  const files = Object.entries(bad).map(([name, [text]]) => [`lib/${name}.mjs`, text]);
  const { classes, problems } = await describe(
    cluster,
    packageContent({ ...good, ...Object.fromEntries(files) }),
  );
  t.strictSame(classes.map(({ name }) => name).sort(), ['words.Times', 'words.Twice']);
  for (const [name, [, message]] of Object.entries(bad)) {
    const told = problems.filter(({ file }) => file === `lib/${name}.mjs`);
    t.match(told, [{ message }], name);
    t.notMatch(told[0]?.message, cluster.directory, 'where the engine lives is not told');
  }
  t.equal(problems.length, Object.keys(bad).length);
});

t.test('what was wrong with the machine at an earlier start is not wrong for good', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'hg-test-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const broken = join(directory, 'broken-node');
  writeFileSync(broken, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const first = await openCluster(t, { directory, packageCode: true, execPath: broken });
  const told = await describe(first, packageContent(good));
  t.match(told, { classes: [], problems: [{ message: /ended the process that imported it \(code 1\)/ }] });
  t.strictSame(await describe(first, packageContent(good)), told, 'at this start it is not asked again');
  await first.driver.close();

  const second = await openCluster(t, { directory, packageCode: true });
  const { classes, problems } = await describe(second, packageContent(good));
  t.strictSame([classes.map(({ name }) => name), problems], [['words.Times', 'words.Twice'], []]);
  await second.driver.close();
  const third = await openCluster(t, { directory, packageCode: true, execPath: broken });
  t.strictSame(await describe(third, packageContent(good)), { classes, problems }, 'what is right is kept');
});

t.test('limits of what may be brought', async (t) => {
  const cluster = await openCluster(t, {
    packageCode: true,
    limits: { packageCodeFiles: 3, packageCodeBytes: 5000 },
  });
  const many = { ...good, 'lib/a.txt': '', 'lib/b.txt': '' };
  t.match(await describe(cluster, packageContent(many)), {
    classes: [],
    problems: [
      { file: 'lib/', message: /has 4 files besides jars, more than 3 \(limits\.packageCodeFiles\)/ },
    ],
  });
  const large = { ...good, 'lib/a.txt': 'x'.repeat(5000), 'lib/x.jar': 'x'.repeat(9000) };
  t.match(await describe(cluster, packageContent(large)), {
    problems: [{ message: /bytes besides jars, more than 5000 \(limits\.packageCodeBytes\)/ }],
  });
  t.strictSame(
    readdirSync(join(cluster.directory, 'packages')),
    ['node_modules'],
    'nothing of it was written',
  );
});

t.test('without the option nothing is looked at, and the option is named', async (t) => {
  const cluster = await openCluster(t);
  t.match(await describe(cluster, packageContent(good)), {
    classes: [],
    problems: [
      { file: 'lib/times.mjs', message: /does not let packages bring code \(packageCode of localCluster\)/ },
    ],
  });
  const file = join(testFolder(t), 'out');
  await t.rejects(cluster.launch(application(file), { packageContent: packageContent(good) }), {
    status: 400,
    message: /there is no operator class "words\.Times"; lib\/times\.mjs: .*packageCode of localCluster/,
  });
  const jar = packageContent({ 'app/words.jar': 'PK' });
  await t.rejects(cluster.launch(application(file), { packageContent: jar }), {
    message:
      /there is no operator class "words\.Times"; the local engine has no JVM, so it can not use classes of jars/,
  });
});

const parsed = (file: string): number[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number) : [];

t.test('an application runs on them; its properties are judged by the classes themselves', async (t) => {
  const cluster = await openCluster(t, { packageCode: true });
  const file = join(testFolder(t), 'out');
  const more: Partial<LaunchRequest> = { packageContent: packageContent(good) };
  for (const [properties, message] of [
    [{ factor: 'many' }, /^operators\.1\.properties\.factor: .*number/],
    [{ label: 'LOUD' }, /^operators\.1\.properties\.label: only small letters/],
    [{ facto: 3 }, /^operators\.1\.properties\.facto: .* has no property "facto"; it has factor, label/],
  ] as const) {
    const wrong = cluster.launch(application(file, properties), more);
    await t.rejects(wrong, { code: 'INVALID_INPUT', message });
  }
  const { launcher } = cluster.driver.resourceManager;
  const checked = await launcher?.check?.({ application: application(file, { label: 'LOUD' }), ...more });
  t.match(checked, [{ path: 'operators.1.properties.label', message: /only small letters/ }]);

  const id = await cluster.launch(application(file, { factor: '3' }), more);
  await cluster.reached(id, 'FINISHED');
  t.strictSame(
    parsed(file),
    Array.from({ length: 50 }, (_, index) => index * 3),
  );
  const master = await cluster.driver.master(id);
  t.match(await master.operatorClasses?.describe('words.Times'), { properties: [{ name: 'factor' }] });
  t.match(await master.operatorClasses?.list({ parent: 'words.Times' }), ['words.Times', 'words.Twice']);
});

t.test('while it runs: a property, a change of the plan, a killed container', async (t) => {
  const cluster = await openCluster(t, { packageCode: true });
  const folder = testFolder(t);
  const file = join(folder, 'out');
  const id = await cluster.launch(application(file, {}, -1), { packageContent: packageContent(good) });
  await cluster.reached(id, 'RUNNING');
  const master = await cluster.driver.master(id);
  await t.rejects(
    master.properties?.writeLogical('times', { label: 'LOUD' }) ?? Promise.resolve(),
    { code: 'INVALID_INPUT', message: /^body\.label: only small letters/ },
    'a value that only the class itself can judge',
  );
  await master.properties?.writeLogical('times', { factor: 1000 });
  await eventually(() => parsed(file).some((tuple) => tuple > 0 && tuple % 1000 === 0) || undefined);

  const wrong = {
    requestType: 'SetOperatorPropertyRequest',
    operatorName: 'more',
    propertyName: 'label',
  } as const;
  const create = {
    requestType: 'CreateOperatorRequest',
    operatorName: 'more',
    operatorFQCN: 'words.Twice',
  } as const;
  const connect = {
    requestType: 'AddStreamSinkRequest',
    streamName: 'source-out',
    sinkOperatorName: 'more',
    sinkOperatorPortName: 'in',
  } as const;
  await t.rejects(
    master.planEditor?.change([create, { ...wrong, propertyValue: 'LOUD' }, connect]) ?? Promise.resolve(),
    { code: 'INVALID_INPUT', message: /^requests\.1: .*only small letters/ },
  );
  await master.planEditor?.change([create, connect]);
  await eventually(async () => {
    const more = (await master.logicalOperators()).find(({ name }) => name === 'more');
    return (more?.totalTuplesProcessed ?? 0) > 0 || undefined;
  });

  const operators = (await master.physicalPlan()).operators;
  const container = operators.find(({ name }) => name === 'times')?.container;
  await master.containerControl?.kill(String(container));
  await eventually(async () => {
    const now = (await master.physicalPlan()).operators.find(({ name }) => name === 'times');
    return (now?.status === 'ACTIVE' && now.container !== container) || undefined;
  });
  const seen = parsed(file).length;
  await eventually(() => parsed(file).length > seen || undefined);
  await cluster.driver.resourceManager.kill(id);
  await cluster.reached(id, 'KILLED').catch(() => {});
});

t.test('an ended one starts again after a new start of the host, from what was kept', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'hg-test-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(testFolder(t), 'out');
  const first = await openCluster(t, { directory, packageCode: true });
  const id = await first.launch(application(file, {}, 40), { packageContent: packageContent(good) });
  await first.reached(id, 'FINISHED');
  await first.driver.close();

  const forbidden = await openCluster(t, { directory });
  const { launcher } = forbidden.driver.resourceManager;
  await t.rejects(
    async () => {
      await launcher?.restart(id, { user: 'ann' });
    },
    {
      status: 409,
      message: /does not let packages bring code \(packageCode of localCluster\)/,
    },
  );
  t.match(
    await (await forbidden.driver.master(id)).operatorClasses?.describe('words.Times'),
    { properties: [{ name: 'factor' }] },
    'it is still known to look at',
  );
  await forbidden.driver.close();

  const again = await openCluster(t, { directory, packageCode: true });
  const next = await again.driver.resourceManager.launcher?.restart(id, { user: 'ann' });
  await again.reached(String(next), 'FINISHED');
  await again.driver.close();

  const [folder = ''] = readdirSync(join(directory, 'packages')).filter((name) =>
    /^[0-9a-f]{64}$/.test(name),
  );
  rmSync(join(directory, 'packages', folder), { recursive: true });
  const lost = await openCluster(t, { directory, packageCode: true });
  await t.rejects(
    async () => {
      await lost.driver.resourceManager.launcher?.restart(String(next), { user: 'ann' });
    },
    {
      status: 409,
      message: /is not there any more; launch it from the package/,
    },
  );
});

t.test('what a killed engine left half written is removed; what nobody needs is, too', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'hg-test-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const cluster = await openCluster(t, { directory, packageCode: true, limits: { endedApplications: 1 } });
  const kept = () => readdirSync(join(directory, 'packages')).filter((name) => /^[0-9a-f]{64}$/.test(name));
  const file = join(testFolder(t), 'out');
  const id = await cluster.launch(application(file, {}, 5), { packageContent: packageContent(good) });
  await cluster.reached(id, 'FINISHED');
  const [needed = ''] = kept();
  for (let index = 0; index < 12; index++)
    await describe(cluster, packageContent({ 'lib/a.mjs': `export const n = ${index};` }));
  t.equal(kept().length, 13);
  const builtIn = { operators: [op('s', 'Sequence', { total: 1 }), op('o', 'Journal', { file })] };
  const last = await cluster.launch({ ...builtIn, streams: [stream('s.out -> o.in')] });
  await cluster.reached(last, 'FINISHED');
  await eventually(() => kept().length <= 10 || undefined);
  t.notOk(kept().includes(needed), 'its application is forgotten, and it is the oldest');
  await cluster.driver.close();

  const part = join(directory, 'packages', 'half.part');
  writeFileSync(part, 'x');
  const next = await openCluster(t, { directory, packageCode: true });
  t.notOk(existsSync(part));
  t.match(readFileSync(join(directory, 'packages/node_modules/zod/zod.js'), 'utf8'), /export \* from/);
  await next.driver.close();
});
