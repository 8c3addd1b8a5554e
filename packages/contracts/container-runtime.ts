import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { checkedDrivers } from 'headgate/driver-answers';
import type { ContainerReport, ContainerRuntime, ContainerSpec, Logger } from 'headgate/driver-kit';
import { given, skippable } from './skipping.js';
import type { Suite } from './suite.js';
import { type Closing, closingAfter, inTime, refuseAnswer } from './using.js';

export interface ContainerRuntimeUnderTest extends Closing {
  /** Each call another object over the same runtime, as after a restart of the gateway. */
  create(): Promise<ContainerRuntime> | ContainerRuntime;
  /** What runs a shell script with `sh`: options, image or program, and arguments. `srcUrl` where one is needed. */
  script(script: string): Pick<ContainerSpec, 'run' | 'srcUrl'>;
  /** The same with a limit of memory, megabytes; absent: limits are not tried. */
  limited?(script: string, megabytes: number): Pick<ContainerSpec, 'run' | 'srcUrl'>;
  /** A command that exits with this code inside of what runs; absent: `exec` is not tried. */
  exec?(code: number): readonly string[];
  /** Words of `run` that must be refused, and a word that the refusal names. */
  readonly refused?: { readonly run: readonly string[]; readonly names: string };
  /** What can't be installed: an image or an archive that is not there. */
  readonly missing: Pick<ContainerSpec, 'run' | 'srcUrl'>;
  /** Something at `srcUrl` that has to be fetched, and runs on; absent: that is not tried. */
  readonly fetched?: Required<Pick<ContainerSpec, 'run' | 'srcUrl'>>;
  /** One over a runtime that does not answer; absent: there is nothing that could be away. */
  createUnreachable?(): ContainerRuntime;
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { now: () => Date.now(), monotonic: () => performance.now() };
const forEver = 'trap "exit 0" TERM; while true; do sleep 0.05; done';
const stubborn = 'trap "" TERM; while true; do sleep 0.05; done';
const revision = 'a1';

/** What a group of tests works with. */
interface RuntimeSuite {
  readonly subject: ContainerRuntimeUnderTest;
  /** Open as the driver of this owner; default: the one of all tests. */
  opened(of?: string): Promise<ContainerRuntime>;
  /** Registers a test, with a driver that is open and a name that is free. */
  test(title: string, run: (runtime: ContainerRuntime, name: string) => Promise<void>): unknown;
}

/** Everything that `ContainerRuntime` promises, for authors of drivers: register it in any test runner. */
export async function containerRuntimeContract(
  suite: Suite,
  subject: ContainerRuntimeUnderTest,
): Promise<void> {
  const owner = randomBytes(12).toString('hex');

  async function opened(of = owner): Promise<ContainerRuntime> {
    const runtime = checkedDrivers.containerRuntime(await subject.create(), refuseAnswer);
    await inTime(`open() of the container runtime ${runtime.name}`, subject, () =>
      runtime.open({ owner: of, logger: silent, clock }),
    );
    return runtime;
  }

  const test = (title: string, run: (runtime: ContainerRuntime, name: string) => Promise<void>) =>
    suite.test(
      `container runtime: ${title}`,
      skippable(`container runtime: ${title}`, async () => {
        const runtime = await opened();
        const name = `test-${randomBytes(4).toString('hex')}`;
        await closingAfter(
          () =>
            closingAfter(
              () => run(runtime, name),
              () => runtime.remove(name),
            ),
          () => inTime(`close() of the container runtime ${runtime.name}`, subject, () => runtime.close()),
        );
      }),
    );

  const tests: RuntimeSuite = { subject, opened, test };
  await lifeTests(tests);
  await endTests(tests);
  await installTests(tests);
  await unreachableTest(tests);
  await optionTests(tests);
}

const specOf = (name: string, part: Pick<ContainerSpec, 'run' | 'srcUrl'>): ContainerSpec => ({
  name,
  revision,
  ...part,
});

async function started(runtime: ContainerRuntime, spec: ContainerSpec): Promise<ContainerReport> {
  await runtime.install(spec);
  return runtime.start(spec);
}

const find = async (runtime: ContainerRuntime, name: string) =>
  (await runtime.list()).find((report) => report.name === name);

async function until(runtime: ContainerRuntime, name: string, state: ContainerReport['state']) {
  for (let attempt = 0; attempt < 600; attempt++) {
    const report = await find(runtime, name);
    if (report?.state === state) return report;
    await delay(50);
  }
  return assert.fail(`${name} is not ${state} after half a minute`);
}

/** What is started is found again, by its owner alone. */
async function lifeTests({ subject, opened, test }: RuntimeSuite): Promise<void> {
  await test('it tells its version', async (runtime) => {
    assert.match((await runtime.info()).version, /^\d+(\.\d+)*/);
  });

  await test('what was started is listed, with what it was started from', async (runtime, name) => {
    const before = Date.now();
    const spec = specOf(name, subject.script(forEver));
    assert.deepEqual(runtime.check(spec), []);
    const report = await started(runtime, spec);
    assert.equal(report.name, name);
    assert.equal(report.revision, revision);
    const running = await until(runtime, name, 'running');
    assert.equal(running.id, report.id);
    assert.equal(running.revision, revision);
    assert.ok(Math.abs(running.startedTime - before) < 60_000, `started at ${running.startedTime}`);
    assert.equal(running.reason, undefined);
  });

  await test('while one runs, another of its name is refused', async (runtime, name) => {
    const spec = specOf(name, subject.script(forEver));
    const { id } = await started(runtime, spec);
    await assert.rejects(runtime.start(spec), { code: 'CONTAINER_RUNNING' });
    assert.equal((await until(runtime, name, 'running')).id, id);
  });

  await test('what runs outlives the driver, and is found by the next one', async (runtime, name) => {
    const { id } = await started(runtime, specOf(name, subject.script(forEver)));
    await runtime.close();
    const next = await opened();
    assert.equal((await until(next, name, 'running')).id, id);
    await next.stop(name, { graceMillis: 5000 });
    assert.equal((await find(next, name))?.state, 'ended');
    await next.close();
  });

  await test('others do not see it, and do not touch it', async (runtime, name) => {
    await started(runtime, specOf(name, subject.script(forEver)));
    const other = await opened(randomBytes(12).toString('hex'));
    assert.equal(await find(other, name), undefined);
    await other.stop(name, { graceMillis: 0 });
    await other.remove(name);
    const { id } = await until(runtime, name, 'running');
    const own = await started(other, specOf(name, subject.script(forEver)));
    assert.notEqual(own.id, id);
    assert.equal((await until(runtime, name, 'running')).id, id);
    await other.remove(name);
    await other.close();
    assert.equal((await until(runtime, name, 'running')).id, id);
  });
}

async function endTests({ subject, test }: RuntimeSuite): Promise<void> {
  await test('one that ends by itself is ended, and its report tells how', async (runtime, name) => {
    await started(runtime, specOf(name, subject.script('echo all is lost >&2; exit 7')));
    const report = await until(runtime, name, 'ended');
    assert.match(report.reason ?? '', /7/);
  });

  await test('one that has ended can be started again, and is another one then', async (runtime, name) => {
    const spec = specOf(name, subject.script('exit 0'));
    const first = await started(runtime, spec);
    await until(runtime, name, 'ended');
    const second = await started(runtime, specOf(name, subject.script(forEver)));
    assert.notEqual(second.id, first.id);
    assert.equal((await until(runtime, name, 'running')).id, second.id);
    assert.equal((await runtime.list()).filter((report) => report.name === name).length, 1);
  });

  await test('a stop ends it, also one that does not listen, and twice', async (runtime, name) => {
    for (const [script, graceMillis] of [
      [forEver, 10_000],
      [stubborn, 200],
    ] as const) {
      await started(runtime, specOf(name, subject.script(script)));
      await until(runtime, name, 'running');
      await runtime.stop(name, { graceMillis });
      assert.equal((await find(runtime, name))?.state, 'ended');
      await runtime.stop(name, { graceMillis });
    }
    await runtime.stop(`${name}-never-there`, { graceMillis: 100 });
  });

  await test('what was removed is gone, and may be removed again', async (runtime, name) => {
    await started(runtime, specOf(name, subject.script(stubborn)));
    await runtime.remove(name);
    assert.equal(await find(runtime, name), undefined);
    await runtime.remove(name);
  });
}

async function installTests({ subject, test }: RuntimeSuite): Promise<void> {
  await test('what can not be had is refused with a sentence', async (runtime, name) => {
    await assert.rejects(runtime.install(specOf(name, subject.missing)), (error: unknown) => {
      assert.ok(error instanceof Error && error.message.length > 10);
      assert.ok(
        'code' in error && ['CONTAINER_FAILED', 'UNREACHABLE', 'TIMED_OUT'].includes(String(error.code)),
      );
      return true;
    });
  });

  await test('an install that is given up ends soon, and the next one works', async (runtime, name) => {
    const spec = specOf(name, subject.script(forEver));
    const abort = new AbortController();
    const first = runtime.install(spec, { signal: abort.signal });
    abort.abort();
    await first.catch(() => {});
    await started(runtime, spec);
    await until(runtime, name, 'running');
  });

  await test('a value that is not known yet fits everywhere', async (runtime, name) => {
    const { run } = subject.script(forEver);
    const spec = specOf(name, { run: [...run.slice(0, -1), '${.script}'], srcUrl: '${.archive}' });
    assert.deepEqual(runtime.check(spec), []);
  });

  await test("a start that failed is in nobody's way", async (runtime, name) => {
    await assert.rejects(started(runtime, specOf(name, subject.missing)));
    assert.equal((await find(runtime, name))?.state ?? 'ended', 'ended');
    await started(runtime, specOf(name, subject.script(forEver)));
    await until(runtime, name, 'running');
  });

  await test('what srcUrl names is fetched, and said while it is', async (runtime, name) => {
    const fetched = given('fetched', subject.fetched);
    const spec = specOf(name, fetched);
    const sentences: string[] = [];
    await runtime.install(spec, { onProgress: (sentence) => sentences.push(sentence) });
    for (const sentence of sentences) assert.match(sentence, /^\S.{0,200}$/);
    await runtime.install(spec);
    await runtime.start(spec);
    await until(runtime, name, 'running');
  });
}

async function unreachableTest({ subject, test }: RuntimeSuite): Promise<void> {
  await test('one that does not answer is unreachable, not empty', async () => {
    const runtime = given('createUnreachable', subject.createUnreachable)();
    await runtime.open({ owner: randomBytes(12).toString('hex'), logger: silent, clock });
    for (const asked of [runtime.info(), runtime.list(), runtime.stop('any', { graceMillis: 0 })])
      await assert.rejects(asked, ({ code }: { code: string }) =>
        ['UNREACHABLE', 'TIMED_OUT'].includes(code),
      );
    assert.deepEqual(
      runtime.check(specOf('any', subject.script(forEver))),
      [],
      'and still tells what is wrong',
    );
    await runtime.close();
  });
}

/** What a driver offers for the options in `run` and for `exec`, as far as the subject has words for it. */
async function optionTests({ subject, test }: RuntimeSuite): Promise<void> {
  await test('options that are not offered are named', async (runtime, name) => {
    const refused = given('refused', subject.refused);
    const [problem] = runtime.check(specOf(name, { run: refused.run }));
    assert.equal(problem?.field, 'run');
    assert.ok(problem.message.includes(refused.names), problem.message);
  });

  await test('a command runs in it after the start, and stops it when it fails', async (runtime, name) => {
    const exec = given('exec', subject.exec);
    const spec = specOf(name, subject.script(forEver));
    await runtime.install(spec);
    await runtime.start({ ...spec, exec: exec(0) });
    await until(runtime, name, 'running');
    await runtime.stop(name, { graceMillis: 5000 });
    await assert.rejects(runtime.start({ ...spec, exec: exec(3) }), { code: 'CONTAINER_FAILED' });
    assert.equal((await find(runtime, name))?.state ?? 'ended', 'ended');
  });

  await test('one that takes more memory than its limit is ended', async (runtime, name) => {
    const limited = given('limited', subject.limited);
    // Slowly: where the limit is a watch, it must not take the machine down before.
    const greedy = 'c=$(head -c 4000000 /dev/zero | tr "\\0" x); while true; do x="$x$c"; sleep 0.05; done';
    await started(runtime, specOf(name, limited(greedy, 64)));
    await until(runtime, name, 'ended');
  });
}
