import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { ContainerReport, ContainerRuntime, ContainerSpec } from '../lib/index.js';
import type { Suite } from './suite.js';

export interface ContainerRuntimeUnderTest {
  /** One that was not opened; each time over the same machine, as after a restart of the gateway. */
  create(): ContainerRuntime;
  /** Words of `run`. */
  readonly run: {
    /** Goes on until it is asked to end, and ends then within 2 seconds. */
    readonly lasting: readonly string[];
    /** Goes on, and takes no notice of SIGTERM. */
    readonly stubborn: readonly string[];
    /** Prints `no such number` to its standard error and ends with code 3. */
    readonly failing: readonly string[];
    /** Names an image or a program that is nowhere. */
    readonly absent: readonly string[];
    /** Can be told to be wrong without asking anybody, because of its first word. */
    readonly wrong: readonly string[];
  };
  /** Words of `exec`, for a container that runs `lasting`. */
  readonly exec: {
    readonly succeeding: readonly string[];
    /** Ends with code 4. */
    readonly failing: readonly string[];
  };
  /** What `srcUrl` may name, and words of `run` that go on with what is there. */
  readonly fetched?: { readonly srcUrl: string; readonly run: readonly string[] };
  /** One over a machine that does not answer. */
  createUnreachable?(): ContainerRuntime;
}

const owner = 'a1b2c3d4e5f6a7b8';
const otherOwner = 'ffff0000ffff0000';
const patience = 60_000;

/** Everything that `ContainerRuntime` promises, for authors of drivers: register it in any test runner. */
export async function containerRuntimeContract(
  suite: Suite,
  subject: ContainerRuntimeUnderTest,
): Promise<void> {
  async function opened(of: string = owner, create = subject.create): Promise<ContainerRuntime> {
    const runtime = create();
    await runtime.open({
      owner: of,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      clock: { now: () => Date.now(), monotonic: () => performance.now() },
    });
    return runtime;
  }

  /** Whatever a test makes is gone after it. */
  const test = (name: string, run: (runtime: ContainerRuntime) => Promise<void>) =>
    suite.test(`container runtime: ${name}`, async () => {
      const runtime = await opened();
      try {
        await run(runtime);
      } finally {
        for (const of of [owner, otherOwner]) {
          const clearing = await opened(of);
          for (const { name } of await clearing.list().catch(() => [])) await clearing.remove(name);
          await clearing.close();
        }
        await runtime.close();
      }
    });

  const specOf = (more: Partial<ContainerSpec> = {}): ContainerSpec => ({
    name: 'contract.one',
    revision: 'r1',
    run: subject.run.lasting,
    ...more,
  });
  async function started(runtime: ContainerRuntime, more: Partial<ContainerSpec> = {}) {
    const spec = specOf(more);
    await runtime.install(spec);
    return runtime.start(spec);
  }
  const found = async (runtime: ContainerRuntime, name = 'contract.one') =>
    (await runtime.list()).find((report) => report.name === name);
  async function untilState(runtime: ContainerRuntime, state: ContainerReport['state']) {
    const deadline = performance.now() + patience;
    for (;;) {
      const report = await found(runtime);
      if (report?.state === state) return report;
      if (performance.now() > deadline) assert.fail(`It is still ${JSON.stringify(report)}, not ${state}`);
      await delay(100);
    }
  }

  await test('it tells its version, and has nothing at first', async (runtime) => {
    const { version } = await runtime.info();
    assert.match(version, /^\d+(\.\d+)*/);
    assert.deepEqual(await runtime.list(), []);
  });

  await test('what can be told to be wrong is told before anything is done', async (runtime) => {
    assert.deepEqual(runtime.check(specOf()), []);
    const [problem] = runtime.check(specOf({ run: subject.run.wrong }));
    assert.equal(problem?.field, 'run');
    assert.ok(problem?.message.includes(subject.run.wrong[0] ?? ''), `names the word: ${problem?.message}`);
    const isWrong = runtime.check(specOf({ srcUrl: 'gopher://example.org/x' }));
    assert.deepEqual(
      isWrong.map(({ field }) => field),
      ['srcUrl'],
    );
  });

  await test('a value that is not known yet fits everywhere', async (runtime) => {
    const run = subject.run.lasting.map((word, at) =>
      at === subject.run.lasting.length - 1 ? `\${${word}}` : word,
    );
    // biome-ignore lint/suspicious/noTemplateCurlyInString: how variables are written
    assert.deepEqual(runtime.check(specOf({ run, srcUrl: '${.archive}' })), []);
  });

  await test('what was started runs, and is told of', async (runtime) => {
    const before = Date.now();
    const { id, name, revision, startedTime } = await started(runtime);
    assert.deepEqual({ name, revision }, { name: 'contract.one', revision: 'r1' });
    assert.ok(startedTime > before - 60_000 && startedTime < Date.now() + 60_000, `${startedTime}`);
    const report = await untilState(runtime, 'running');
    assert.equal(report.id, id);
    assert.equal(report.startedTime, startedTime);
    assert.equal(report.reason, undefined);
    assert.ok(report.memoryMB === undefined || report.memoryMB > 0);
  });

  await test('while one runs, another one of its name is refused', async (runtime) => {
    const { id } = await started(runtime);
    await assert.rejects(runtime.start(specOf({ revision: 'r2' })), { status: 409, code: 'CONFLICT' });
    assert.equal((await untilState(runtime, 'running')).id, id);
  });

  await test('it goes on without the gateway, and is found by the next one', async (runtime) => {
    const { id } = await started(runtime);
    await runtime.close();
    await runtime.close();
    const next = await opened();
    const report = await untilState(next, 'running');
    assert.deepEqual({ id: report.id, revision: report.revision }, { id, revision: 'r1' });
    await next.stop('contract.one', { graceMillis: 5000 });
    assert.equal((await found(next))?.state, 'ended');
    await next.close();
  });

  await test('what another gateway made is neither seen nor touched', async (runtime) => {
    const { id } = await started(runtime);
    const other = await opened(otherOwner);
    assert.deepEqual(await other.list(), []);
    await other.stop('contract.one', { graceMillis: 0 });
    await other.remove('contract.one');
    await started(other);
    assert.equal((await untilState(runtime, 'running')).id, id);
    assert.equal((await runtime.list()).length, 1);
    await other.close();
  });

  await test('it ends when it is asked to', async (runtime) => {
    await started(runtime);
    await untilState(runtime, 'running');
    await runtime.stop('contract.one', { graceMillis: 20_000 });
    const report = await found(runtime);
    assert.equal(report?.state, 'ended');
    assert.match(report?.reason ?? '', /\S/);
    await runtime.stop('contract.one', { graceMillis: 20_000 });
    await runtime.stop('contract.nobody', { graceMillis: 20_000 });
  });

  await test('and is ended when it does not care', async (runtime) => {
    await started(runtime, { run: subject.run.stubborn });
    await untilState(runtime, 'running');
    await runtime.stop('contract.one', { graceMillis: 500 });
    assert.equal((await found(runtime))?.state, 'ended');
  });

  await test('one that ends by itself says why', async (runtime) => {
    await started(runtime, { run: subject.run.failing });
    const { reason } = await untilState(runtime, 'ended');
    assert.match(reason ?? '', /code 3\b/);
    assert.match(reason ?? '', /no such number/);
  });

  await test('the next start replaces what has ended', async (runtime) => {
    const first = await started(runtime, { run: subject.run.failing });
    await untilState(runtime, 'ended');
    const second = await started(runtime, { revision: 'r2' });
    assert.notEqual(second.id, first.id);
    const report = await untilState(runtime, 'running');
    assert.deepEqual(
      { id: report.id, revision: report.revision, reports: (await runtime.list()).length },
      { id: second.id, revision: 'r2', reports: 1 },
    );
  });

  await test('a command runs in it once it was started', async (runtime) => {
    await started(runtime, { exec: subject.exec.succeeding });
    await untilState(runtime, 'running');
  });

  await test('a command that fails stops it', async (runtime) => {
    const failed = started(runtime, { exec: subject.exec.failing });
    await assert.rejects(failed, { code: 'CONTAINER_FAILED', message: /exec.*code 4\b/s });
    assert.notEqual((await found(runtime))?.state, 'running');
  });

  await test('what is not there fails, and leaves nothing that runs', async (runtime) => {
    await assert.rejects(started(runtime, { run: subject.run.absent }), {
      status: 502,
      code: 'CONTAINER_FAILED',
    });
    assert.notEqual((await found(runtime))?.state, 'running');
    await started(runtime);
    await untilState(runtime, 'running');
  });

  await test('removing ends it and leaves nothing', async (runtime) => {
    await started(runtime);
    await untilState(runtime, 'running');
    await runtime.remove('contract.one');
    assert.deepEqual(await runtime.list(), []);
    await runtime.remove('contract.one');
    await started(runtime);
  });

  await test('a call that was given up ends', async (runtime) => {
    const signal = AbortSignal.abort(new Error('given up'));
    await assert.rejects(runtime.list({ signal }));
    await assert.rejects(runtime.info({ signal }));
    await assert.rejects(runtime.start(specOf(), { signal }));
    assert.notEqual((await found(runtime))?.state, 'running');
  });

  const { fetched, createUnreachable } = subject;
  if (fetched) {
    await test('what srcUrl names is fetched once, and said while it is', async (runtime) => {
      const spec = specOf(fetched);
      const sentences: string[] = [];
      await runtime.install(spec, { onProgress: (sentence) => sentences.push(sentence) });
      await runtime.install(spec);
      await runtime.start(spec);
      await untilState(runtime, 'running');
      for (const sentence of sentences) assert.match(sentence, /^\S.{0,200}$/);
    });

    await test('what srcUrl names and is not there is named', async (runtime) => {
      const spec = specOf({ ...fetched, srcUrl: `${fetched.srcUrl}-nowhere` });
      await assert.rejects(runtime.install(spec), { code: 'CONTAINER_FAILED' });
    });
  }

  if (createUnreachable) {
    await suite.test('container runtime: one that does not answer is unreachable, not empty', async () => {
      const runtime = await opened(owner, createUnreachable);
      for (const asked of [runtime.info(), runtime.list(), runtime.stop('contract.one', { graceMillis: 0 })])
        await assert.rejects(asked, ({ code }: { code: string }) =>
          ['UNREACHABLE', 'TIMED_OUT'].includes(code),
        );
      assert.deepEqual(runtime.check(specOf()), [], 'and can still tell what is wrong');
      await runtime.close();
    });
  }
}
