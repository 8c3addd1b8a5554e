import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { FileLines, FileOutput } from '../../../packages/operators/built-in.js';
import { identify, stillThat } from '../../../packages/operators/file-position.js';
import { FileTail } from '../../../packages/operators/file-tail.js';
import { testFolder } from '../../helpers/folder.js';
import { type Harness, startOperator } from '../../helpers/operator-harness.js';
import { untilTrue } from '../../helpers/waiting.js';

const pollMillis = 10;

/** Pulls until these lines, and no others, have come. */
async function sees(t: Test, reader: Harness, lines: readonly string[], message = ''): Promise<void> {
  await reader.pullUntil(() => reader.tuples().length >= lines.length);
  t.strictSame(reader.tuples(), lines, message);
}

async function reading(t: Test, properties: object, restore?: unknown): Promise<Harness> {
  const reader = await startOperator(FileLines, { pollMillis, ...properties }, { restore });
  t.teardown(() => reader.stop());
  return reader;
}

t.test('a file is read to its end, and that ends the input', async (t) => {
  const path = join(testFolder(t, { log: 'one\r\ntwo\n\nwithout a newline' }), 'log');
  const reader = await reading(t, { path, follow: false });
  await reader.pullUntil(() => reader.ended);
  t.strictSame(reader.tuples(), ['one', 'two', '', 'without a newline']);
});

t.test('a file that is not there is an error, unless it is waited for', async (t) => {
  const path = join(testFolder(t), 'log');
  const reader = await reading(t, { path, follow: false });
  await t.rejects(
    reader.pullUntil(() => reader.ended),
    { code: 'ENOENT' },
  );
  const waiting = await reading(t, { path });
  await waiting.pullUntil(() => waiting.logged.length > 0);
  t.match(waiting.logged, [{ level: 'info', message: /^waiting for .*log: ENOENT/ }]);
  writeFileSync(path, 'there\n');
  await sees(t, waiting, ['there']);
  t.equal(waiting.logged.length, 1, 'told once');
});

t.test('a directory is refused', async (t) => {
  const reader = await reading(t, { path: testFolder(t) });
  await t.rejects(
    reader.pullUntil(() => false),
    { message: /is no file: the property path must name one/ },
  );
});

t.test('lines are followed; a partial one waits for its end', async (t) => {
  const path = join(testFolder(t, { log: 'old\npar' }), 'log');
  const reader = await reading(t, { path });
  await sees(t, reader, ['old']);
  for (let round = 0; round < 20; round += 1) reader.pull();
  appendFileSync(path, 'tial\nnext\n');
  await sees(t, reader, ['old', 'partial', 'next']);
});

t.test('start at the end: only what comes later', async (t) => {
  const path = join(testFolder(t, { log: 'old\n' }), 'log');
  const reader = await reading(t, { path, start: 'end' });
  appendFileSync(path, 'new, written before the first window\n');
  await sees(t, reader, ['new, written before the first window']);

  const again = await reading(t, { path, start: 'end' }, reader.initial);
  await sees(
    t,
    again,
    ['new, written before the first window'],
    'a restart from the first checkpoint misses nothing',
  );
});

t.test('rotation: the old file is read to its end, then the new one', async (t) => {
  const directory = testFolder(t, { log: 'a\n' });
  const path = join(directory, 'log');
  const writer = openSync(path, 'a');
  const reader = await reading(t, { path });
  await sees(t, reader, ['a']);
  renameSync(path, `${path}.1`);
  // A writer goes on with the old file until it is told.
  writeSync(writer, 'b, after the rename\n');
  writeSync(writer, 'c, without a newline');
  closeSync(writer);
  await sees(t, reader, ['a', 'b, after the rename']);
  writeFileSync(path, 'd\n');
  await sees(t, reader, ['a', 'b, after the rename', 'c, without a newline', 'd']);
  for (const round of [2, 3, 4]) {
    renameSync(path, `${path}.${round}`);
    writeFileSync(path, `round ${round}\n`);
    await reader.pullUntil(() => reader.tuples().at(-1) === `round ${round}`);
  }
  t.equal(reader.tuples().length, 7);
});

t.test('rotation, again and again while nobody takes lines: each file is read, in order', async (t) => {
  const path = join(testFolder(t, { 'log.old': 'not one of them\n' }), 'log');
  // More than may wait: the first file is not read to its end before lines are taken.
  const many = Array.from({ length: 15_000 }, (_, index) => `first ${index}`);
  writeFileSync(path, `${many.join('\n')}\n`);
  const logged: string[] = [];
  const say = (message: string) => logged.push(message);
  const tail = new FileTail({
    path,
    locate: () => path,
    follow: true,
    from: undefined,
    maxLineBytes: 1000,
    encoding: 'utf8',
    pollMillis,
    log: { trace: say, debug: say, info: say, warn: say, error: say },
  });
  t.teardown(() => tail.close());
  const lines: string[] = [];
  const next = async () => {
    let line = tail.take();
    await untilTrue(() => {
      line ??= tail.take();
      return line !== undefined;
    });
    lines.push(line?.text ?? '');
  };
  await next();
  for (const round of [1, 2, 3, 4]) {
    for (let older = round - 1; older > 0; older--) renameSync(`${path}.${older}`, `${path}.${older + 1}`);
    renameSync(path, `${path}.1`);
    writeFileSync(path, `round ${round}\n`);
    await untilTrue(() => tail.waitingFiles === round);
  }
  t.equal(readFileSync(`${path}.2`, 'utf8'), 'round 2\n');
  rmSync(`${path}.2`);
  while (lines.at(-1) !== 'round 4') await next();
  t.strictSame(lines, [...many, 'round 1', 'round 3', 'round 4']);
  t.match(logged, [/log for a while is gone before it was read$/]);
});

t.test('truncation: on from the beginning', async (t) => {
  const path = join(testFolder(t, { log: 'a\nb\n' }), 'log');
  const reader = await reading(t, { path });
  await sees(t, reader, ['a', 'b']);
  truncateSync(path);
  await reader.pullUntil(() => reader.logged.length > 0);
  t.match(reader.logged, [{ level: 'warn', message: /was truncated/ }]);
  appendFileSync(path, 'c\n');
  await sees(t, reader, ['a', 'b', 'c']);
});

t.test('truncation is seen also when the file is longer again by then', async (t) => {
  const path = join(testFolder(t, { log: 'first\n' }), 'log');
  const reader = await reading(t, { path });
  await sees(t, reader, ['first']);
  for (const round of [1, 2, 3]) {
    writeFileSync(path, `round ${round}: ${'longer '.repeat(round)}\n`);
    await reader.pullUntil(() => reader.tuples().length > round);
  }
  t.strictSame(reader.tuples().slice(1), [
    'round 1: longer ',
    'round 2: longer longer ',
    'round 3: longer longer longer ',
  ]);
});

t.test('between a read and the next one a file may be cut and grow again: its beginning tells', async (t) => {
  const long = 'x'.repeat(300);
  const appended = undefined;
  const cases: [what: string, before: string, read: string, after: string | undefined, isSame: boolean][] = [
    ['nothing happened', 'first\n', '', appended, true],
    ['more was written', 'first\n', 'second\n', appended, true],
    ['it was empty', '', 'first\n', appended, true],
    ['a long one grew', long, 'more\n', appended, true],
    ['it was cut', 'first\n', '', 'f', false],
    ['it was emptied', 'first\n', '', '', false],
    ['written anew, as long', 'first\n', '', 'other\n', false],
    ['written anew, longer, and the rest was read', 'first\n', '1: longer\n', 'round 1: longer\n', false],
    ['written anew after more was read', 'first\n', 'second\n', 'first\nother!\n', false],
    ['written anew after it was read for the first time', '', 'first\n', 'other\n', false],
    ['a long one, written anew', long, '', 'y'.repeat(400), false],
  ];
  const path = join(testFolder(t, { log: '' }), 'log');
  for (const [what, before, read, after, isSame] of cases) {
    writeFileSync(path, before);
    const handle = await open(path);
    const file = await identify(handle);
    writeFileSync(path, after ?? before + read);
    const known = await stillThat(handle, { file, offset: before.length }, Buffer.from(read));
    t.equal(known !== undefined, isSame, what);
    if (known) t.strictSame(known, await identify(handle), `${what}: what was read is known`);
    await handle.close();
  }
});

t.test('long lines are cut and counted', async (t) => {
  const path = join(testFolder(t, { log: `${'x'.repeat(100_000)}\nshort\n` }), 'log');
  const reader = await reading(t, { path, maxLineBytes: 1_000 });
  await sees(t, reader, ['x'.repeat(1_000), 'short']);
  t.strictSame(reader.operator.counters(), { lines: 2, linesCut: 1 });
});

t.test('a recovery goes on after the last line of the checkpoint, at any line', async (t) => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index} ${'é'.repeat(index)}`);
  const path = join(testFolder(t, { log: `${lines.join('\n')}\n` }), 'log');
  for (let count = 0; count <= 40; count += 8) {
    const first = await reading(t, { path });
    await first.pullUntil(() => first.tuples().length >= count, 1);
    const checkpoint = first.checkpoint();
    // What it reads after its checkpoint is lost with it.
    await first.pullUntil(() => first.tuples().length === 40);
    await first.stop();
    const second = await reading(t, { path, follow: false }, checkpoint);
    await second.pullUntil(() => second.ended);
    t.strictSame(second.tuples(), lines.slice(count), `after ${count} lines`);
    t.strictSame(second.operator.counters(), { lines: 40, linesCut: 0 });
  }
});

t.test('a recovery after a rotation: first the rest of the old file', async (t) => {
  const path = join(testFolder(t, { 'access.log': 'a\nb\nc\n', 'access.log.9': 'another\n' }), 'access.log');
  const first = await reading(t, { path });
  await first.pullUntil(() => first.tuples().length === 1, 1);
  const checkpoint = first.checkpoint();
  await first.stop();
  renameSync(path, `${path}.1`);
  writeFileSync(path, 'd\n');
  const second = await reading(t, { path }, checkpoint);
  await sees(t, second, ['b', 'c', 'd']);
});

t.test('a recovery when the old file is gone says so and reads the new one', async (t) => {
  const path = join(testFolder(t, { log: 'a\nb\n' }), 'log');
  const first = await reading(t, { path });
  await first.pullUntil(() => first.tuples().length === 1, 1);
  const checkpoint = first.checkpoint();
  await first.stop();
  // Likely the same inode again, and longer than the old offset: the first bytes tell them apart.
  rmSync(path);
  writeFileSync(path, 'c, a longer line\nd\n');
  const second = await reading(t, { path }, checkpoint);
  await sees(t, second, ['c, a longer line', 'd']);
  t.match(second.logged, [{ level: 'warn', message: /was replaced and the rest of the old file is gone/ }]);
});

t.test('back-pressure: what nobody takes stays in the file', async (t) => {
  const line = `${'y'.repeat(999)}\n`;
  const path = join(testFolder(t), 'log');
  writeFileSync(path, line.repeat(40_000));
  const reader = await reading(t, { path, follow: false });
  reader.pull(1);
  let rounds = 0;
  await untilTrue(() => {
    rounds += 1;
    return rounds > 60;
  });
  // Had the whole file been read by now, this would come too late.
  const writer = openSync(path, 'r+');
  writeSync(writer, 'z'.repeat(999), 39_999 * 1_000);
  closeSync(writer);
  await reader.pullUntil(() => reader.ended, 5_000);
  t.equal(reader.tuples().length, 40_000);
  t.equal(reader.tuples().at(-1), 'z'.repeat(999));
});

t.test('another path at run time, and partitions are refused', async (t) => {
  const directory = testFolder(t, { one: 'a\n', two: 'b\n' });
  const reader = await reading(t, { path: join(directory, 'one') });
  await sees(t, reader, ['a']);
  reader.change({ path: join(directory, 'two'), pollMillis });
  await sees(t, reader, ['a', 'b']);
  const restored = await reading(t, { path: join(directory, 'one') }, reader.checkpoint());
  await sees(t, restored, ['a'], 'a checkpoint of another file is no position in this one');
  t.strictSame(restored.logged, []);
  await t.rejects(
    startOperator(FileLines, { path: directory }, { name: 'lines', partition: { index: 0, count: 2 } }),
    { message: /lines: one file can't be read by several partitions/ },
  );
});

t.test('what else is changed takes effect after the last line that was emitted', async (t) => {
  const directory = testFolder(t, { log: 'a\nbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n\u00e4\n' });
  const path = join(directory, 'log');
  const reader = await reading(t, { path, follow: true, pollMillis: 60_000 });
  await reader.pullUntil(() => reader.tuples().length === 1, 1);
  reader.change({ path, maxLineBytes: 16, encoding: 'latin1', follow: false });
  await reader.pullUntil(() => reader.ended);
  t.strictSame(reader.tuples(), ['a', 'b'.repeat(16), '\u00c3\u00a4']);
  t.strictSame(reader.operator.counters(), { lines: 3, linesCut: 1 });
});

t.test('teardown closes the file in every state, and twice is once', async (t) => {
  const directory = testFolder(t, { log: 'a\nb\n' });
  const path = join(directory, 'log');
  // Names of open files are a Linux thing; elsewhere the closing is covered by the tests ending at all.
  const open = () =>
    existsSync('/proc/self/fd')
      ? readdirSync('/proc/self/fd').filter((fd) => {
          try {
            return readlinkSync(`/proc/self/fd/${fd}`).startsWith(directory);
          } catch {
            return false;
          }
        })
      : [];
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const unused = await startOperator(FileLines, { path, start: 'end' });
  await unused.stop();
  const waiting = await startOperator(FileLines, { path: `${path}.none`, pollMillis: 60_000 });
  await waiting.pullUntil(() => waiting.logged.length > 0);
  await waiting.stop();
  const following = await startOperator(FileLines, { path, pollMillis: 60_000 });
  await following.pullUntil(() => following.tuples().length === 2);
  if (existsSync('/proc/self/fd')) t.equal(open().length, 1, 'it can be seen');
  await following.stop();
  await following.stop();
  const output = await startOperator(FileOutput, { directory });
  output.window(['x']);
  await output.stop();
  t.strictSame(open(), []);
  t.equal(timers(), before);
});

const contents = (directory: string) =>
  Object.fromEntries(
    readdirSync(directory)
      .sort()
      .map((file) => [file, readFileSync(join(directory, file), 'utf8')]),
  );

t.test('files are written at the end of a window', async (t) => {
  const directory = join(testFolder(t), 'deep/er');
  const output = await startOperator(FileOutput, { directory });
  output.begin();
  output.operator.process('input', 'text');
  output.operator.process('input', { a: 1 });
  t.strictSame(contents(directory), {}, 'nothing yet');
  output.end();
  t.strictSame(contents(directory), { 'output.000001.log': 'text\n{"a":1}\n' });
  await output.stop();

  const next = await startOperator(FileOutput, { directory, format: 'json' });
  next.window(['text']);
  await next.stop();
  t.strictSame(
    contents(directory)['output.000002.log'],
    '"text"\n',
    'another run leaves the old files alone',
  );
});

t.test('files roll by size, and only so many are kept', async (t) => {
  const directory = testFolder(t);
  const output = await startOperator(FileOutput, { directory, name: 'a.txt', rollBytes: 10, maxFiles: 3 });
  output.window(['1234', '5678', 'abcd', 'longer than a whole file', 'x']);
  t.strictSame(contents(directory), {
    'a.000002.txt': 'abcd\n',
    'a.000003.txt': 'longer than a whole file\n',
    'a.000004.txt': 'x\n',
  });
  await output.stop();
});

t.test('files roll by the time of the windows', async (t) => {
  const directory = testFolder(t);
  const output = await startOperator(FileOutput, { directory, rollMillis: 1_000 });
  for (const line of ['a', 'b', 'c', 'd', 'e']) output.window([line]);
  t.strictSame(contents(directory), { 'output.000001.log': 'a\nb\nc\n', 'output.000002.log': 'd\ne\n' });
  await output.stop();
});

t.test('after a recovery the files are what they would be without the crash', async (t) => {
  const windows = Array.from({ length: 30 }, (_, window) =>
    Array.from({ length: window % 4 }, (_, index) => `window ${window} line ${index}`),
  );
  const properties = { rollBytes: 100, rollMillis: 4_000, maxFiles: 100 };
  const steady = testFolder(t, { steady: {}, crashed: {} });
  const output = await startOperator(FileOutput, { ...properties, directory: join(steady, 'steady') });
  for (const lines of windows) output.window(lines);
  await output.stop();

  const directory = join(steady, 'crashed');
  let current = await startOperator(FileOutput, { ...properties, directory });
  let saved = { checkpoint: current.initial, window: 0 };
  const crashes = new Set([1, 5, 6, 13, 21, 29]);
  for (let window = 0; window < windows.length; window += 1) {
    current.window(windows[window]);
    if (crashes.delete(window)) {
      await current.stop();
      window = saved.window - 1;
      const { checkpoint: restore } = saved;
      current = await startOperator(
        FileOutput,
        { ...properties, directory },
        { restore, firstWindow: saved.window },
      );
    } else if (window % 4 === 3) saved = { checkpoint: current.checkpoint(), window: window + 1 };
  }
  await current.stop();
  t.strictSame(contents(directory), contents(join(steady, 'steady')));
  t.ok(readdirSync(directory).length > 5);
});

t.test('partitions write files of their own; a file that somebody cut is told', async (t) => {
  const directory = testFolder(t);
  const partition = { index: 1, count: 2 };
  const output = await startOperator(FileOutput, { directory }, { partition });
  output.window(['a', 'b']);
  const restore = output.checkpoint();
  await output.stop();
  t.strictSame(contents(directory), { 'output.p1.000001.log': 'a\nb\n' });
  truncateSync(join(directory, 'output.p1.000001.log'), 2);
  const again = await startOperator(FileOutput, { directory }, { partition, restore });
  again.window(['c']);
  await again.stop();
  t.strictSame(contents(directory), { 'output.p1.000001.log': 'a\nc\n' });
  t.match(again.logged, [{ level: 'warn', message: /^2 bytes written before the checkpoint are gone/ }]);
});

t.test('limits and form at run time, in the same file', async (t) => {
  const directory = testFolder(t, {});
  const output = await startOperator(FileOutput, { directory });
  output.window(['a']);
  output.change({ directory, format: 'json' });
  output.window(['b']);
  output.change({ directory, rollBytes: 4 });
  output.window(['cc', 'dd']);
  output.change({ directory, rollBytes: 4, maxFiles: 1 });
  output.window(['ee']);
  await output.stop();
  t.strictSame(contents(directory), { 'output.000004.log': 'ee\n' });
});

t.test('other files at run time; a checkpoint from before leaves them alone', async (t) => {
  const directory = testFolder(t, {
    one: {},
    two: { 'output.000001.log': 'kept\n', 'output.000002.log': 'too\n' },
  });
  const output = await startOperator(FileOutput, { directory: join(directory, 'one') });
  output.window(['a']);
  const restore = output.checkpoint();
  output.change({ directory: join(directory, 'two') });
  output.window(['b']);
  await output.stop();
  const two = { directory: join(directory, 'two') };
  const again = await startOperator(FileOutput, two, { restore });
  again.window(['c']);
  await again.stop();
  t.strictSame(contents(join(directory, 'one')), { 'output.000001.log': 'a\n' });
  t.strictSame(contents(two.directory), {
    'output.000001.log': 'kept\n',
    'output.000002.log': 'too\n',
    'output.000003.log': 'b\n',
    'output.000004.log': 'c\n',
  });
  t.strictSame(again.operator.counters(), { lines: 2 });
});

t.test('names that lead elsewhere are refused', async (t) => {
  for (const name of ['../x', 'a/b', '.hidden', '']) {
    await t.rejects(
      startOperator(FileOutput, { directory: testFolder(t), name }),
      { name: 'ZodError' },
      name,
    );
  }
});

t.test('a link that comes between finding a file and opening it is looked at again', async (t) => {
  const directory = testFolder(t, { real: 'line\n', link: t.fixture('symlink', 'real') });
  const link = join(directory, 'link');
  // The first answer was right when it was given: there was no link yet.
  const tailOf = (then: () => string) => {
    const places = [() => link, then];
    const tail = new FileTail({
      path: 'link',
      locate: () => (places.shift() ?? then)(),
      follow: true,
      from: undefined,
      maxLineBytes: 1000,
      encoding: 'utf8',
      pollMillis,
      log: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
    });
    t.teardown(() => tail.close());
    return tail;
  };
  const allowed = tailOf(() => join(directory, 'real'));
  await untilTrue(() => allowed.take()?.text === 'line');
  const refused = tailOf(() => {
    throw new Error('link may not be read');
  });
  await t.rejects(
    untilTrue(() => refused.take() !== undefined),
    { message: 'link may not be read' },
  );
});
