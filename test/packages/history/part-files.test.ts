import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import fc from 'fast-check';
import t from 'tap';
import type { PartFormat } from '../../../packages/history/part-files/format.js';
import {
  formatIndexLine,
  parseIndex,
  parseIndexLine,
} from '../../../packages/history/part-files/index-line.js';
import { createPartReader, type PartReader } from '../../../packages/history/part-files/reader.js';
import { localPartFiles, type PartFiles } from '../../../packages/history/part-files/source.js';
import { openPartWriter, type PartWriterOptions } from '../../../packages/history/part-files/writer.js';

/** `{ms}:{text}`; the extra of a part is its first and last text. */
const format: PartFormat = {
  timeOf(line) {
    const time = /^(\d+):/.exec(line)?.[1];
    return time === undefined ? undefined : Number(time);
  },
  countOf: (line) => (line.endsWith('#') ? 0 : 1),
  summary() {
    const texts: string[] = [];
    const add = (line: string) => texts.push(line.slice(line.indexOf(':') + 1));
    return { add, text: () => `${texts[0]}|${texts.at(-1)}` };
  },
};

const options: PartWriterOptions = {
  format,
  maxPartBytes: 100,
  maxPartMillis: 1_000_000,
  maxBytes: 1_000_000,
  maxPendingBytes: 100_000,
  onProblem: (error) => {
    throw error;
  },
};

/** Removed with the test. */
function newDirectory(owner: Pick<typeof t, 'teardown'>): string {
  const directory = mkdtempSync(join(tmpdir(), 'headgate-parts-'));
  owner.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const readerOf = (directory: string): PartReader => createPartReader(localPartFiles(directory), format);

async function all(reader: PartReader, query: Parameters<PartReader['lines']>[0] = {}): Promise<string[]> {
  const found: string[] = [];
  for await (const { line } of reader.lines(query)) found.push(line);
  return found;
}

async function write(directory: string, lines: readonly string[], more: Partial<PartWriterOptions> = {}) {
  const writer = await openPartWriter(directory, { ...options, ...more });
  for (const line of lines) writer.append(line);
  await writer.close();
}

const numbered = (from: number, through: number) =>
  Array.from({ length: through - from + 1 }, (_, i) => `${from + i}:item ${from + i}`);

t.test('lines of the index are read as they are written', async (t) => {
  fc.assert(
    fc.property(
      fc.record(
        {
          number: fc.nat(),
          first: fc.nat(),
          last: fc.nat(),
          count: fc.nat(),
          extra: fc.string().map((text) => text.replaceAll(/\n/g, ' ')),
        },
        { requiredKeys: ['number', 'first', 'last', 'count'] },
      ),
      (entry) => {
        const bounded = { ...entry, number: entry.number % 1_000_000_000 };
        t.strictSame(parseIndexLine(formatIndexLine(bounded)), bounded);
      },
    ),
    { numRuns: 200 },
  );
  t.strictSame(parseIndexLine('F:part0.txt:1448-1449:12:T:1-5,7-9:7:{"0":1}'), {
    number: 0,
    first: 1448,
    last: 1449,
    count: 12,
    extra: '1-5,7-9:7:{"0":1}',
  });
  for (const odd of [
    '',
    'F:part.txt:1-2:3',
    'F:part1.txt:1-2',
    'F:../part1.txt:1-2:3',
    'F:part1.txt:1-2:3:x',
  ])
    t.equal(parseIndexLine(odd), undefined, odd);
});

t.test('a cut line of the index does not count, and E says that it has ended', async (t) => {
  t.strictSame(parseIndex('F:part0.txt:1-2:3\nF:part1.txt:3-4:12').parts.length, 1);
  t.equal(parseIndex('E').ended, false);
  t.strictSame(parseIndex('F:part0.txt:1-2:3\nE\n'), {
    parts: [{ number: 0, first: 1, last: 2, count: 3 }],
    ended: true,
  });
});

type Step =
  | { readonly do: 'append'; readonly texts: readonly string[]; readonly after: number }
  | { readonly do: 'reopen' | 'flush' }
  /** The process dies in the middle of a line. */
  | { readonly do: 'cut'; readonly bytes: number };

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('append' as const),
        texts: fc.array(
          fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replaceAll('\n', ' ')),
          { maxLength: 8 },
        ),
        after: fc.nat(400),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('reopen' as const, 'flush' as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('cut' as const), bytes: fc.integer({ min: 1, max: 5 }) }),
    },
  ),
  { maxLength: 30 },
);

/** What was appended and not cut, in order. */
async function perform(directory: string, script: readonly Step[], limits: Partial<PartWriterOptions>) {
  let writer = await openPartWriter(directory, { ...options, ...limits });
  const expected: string[] = [];
  let now = 1000;
  for (const step of script) {
    if (step.do === 'append') {
      now += step.after;
      for (const text of step.texts) if (writer.append(`${now}:${text}`)) expected.push(`${now}:${text}`);
    } else if (step.do === 'flush') await writer.flushed();
    else {
      await writer.close();
      if (step.do === 'cut') cutNewest(directory, step.bytes);
      writer = await openPartWriter(directory, { ...options, ...limits });
    }
  }
  await writer.close();
  return expected;
}

/** A line that was begun and not finished. */
function cutNewest(directory: string, bytes: number): void {
  const { parts } = parseIndex(textOf(join(directory, 'index.txt')));
  const open = (parts.at(-1)?.number ?? -1) + 1;
  appendFileSync(join(directory, `part${open}.txt`), '9999:begun and cut'.slice(0, bytes));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const sizeOfParts = (directory: string): number =>
  readdirSync(directory)
    .filter((name) => name.startsWith('part'))
    .reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);

t.test('what was appended is what is read, over restarts and cut lines', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(3000), fc.nat(3000), async (script, from, length) => {
      const directory = mkdtempSync(join(tmpdir(), 'headgate-parts-'));
      try {
        const expected = await perform(directory, script, { maxPartMillis: 700 });
        const reader = readerOf(directory);
        assert.deepEqual(await all(reader), expected);
        const to = from + length;
        const inRange = expected.filter((line) => {
          const time = Number(line.split(':')[0]);
          return time >= from && time <= to;
        });
        assert.deepEqual(await all(reader, { from, to }), inRange);
        const { parts } = await reader.index();
        const items = expected.filter((line) => !line.endsWith('#')).length;
        assert.equal(
          parts.reduce((sum, { count }) => sum + count, 0),
          items,
        );
      } finally {
        rmSync(directory, { recursive: true });
      }
    }),
    { numRuns: 60 },
  );
});

t.test('with limits the newest are read, and the files stay within them', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 0, max: 20 }), async (script, wanted) => {
      const directory = mkdtempSync(join(tmpdir(), 'headgate-parts-'));
      try {
        const expected = await perform(directory, script, { maxBytes: 400, maxMillis: 3000 });
        const reader = readerOf(directory);
        const found = await all(reader);
        assert.deepEqual(found, expected.slice(expected.length - found.length));
        assert.ok(found.length > 0 || expected.length === 0);
        // One line may go beyond, and so may a line that was cut at each restart.
        assert.ok(sizeOfParts(directory) <= 400 + 200 + script.length * 5);
        const newest = (await reader.newest(wanted))
          .map(({ line }) => line)
          .filter((line) => !line.endsWith('#'));
        const items = found.filter((line) => !line.endsWith('#'));
        assert.deepEqual(newest, wanted === 0 ? [] : items.slice(-wanted));
      } finally {
        rmSync(directory, { recursive: true });
      }
    }),
    { numRuns: 60 },
  );
});

t.test('parts older than the limit go when a part is closed', async (t) => {
  const directory = newDirectory(t);
  await write(directory, [...numbered(1, 30), ...numbered(5000, 5030)], {
    maxMillis: 1000,
    maxPartMillis: 500,
  });
  const found = await all(readerOf(directory));
  t.equal(found[0]?.startsWith('50'), true);
  t.equal(found.length, 31);
});

/** Remembers which files were read. */
function watched(directory: string): PartFiles & { readonly read: string[] } {
  const files = localPartFiles(directory);
  const read: string[] = [];
  return {
    read,
    readText: files.readText,
    stream(name, signal) {
      read.push(name);
      return files.stream(name, signal);
    },
  };
}

t.test('parts outside the range are not read, nor are those before the newest items', async (t) => {
  const directory = newDirectory(t);
  await write(directory, numbered(1000, 1099));
  const files = watched(directory);
  const reader = createPartReader(files, format);
  const { parts } = await reader.index();
  const part = parts[3];
  t.ok(part && parts.length > 10);
  files.read.length = 0;
  const found = await all(reader, { from: part?.first ?? 0, to: part?.last ?? 0 });
  t.equal(found.length, part?.count);
  t.strictSame(files.read, ['part3.txt', `part${parts.at(-1)?.number}.txt`]);
  files.read.length = 0;
  t.equal((await reader.newest(8)).length, 8);
  t.ok(files.read.length <= 5, files.read.join());
});

t.test('a collection is read while it grows, and while retention takes parts away', async (t) => {
  const directory = newDirectory(t);
  const writer = await openPartWriter(directory, { ...options, maxBytes: 400 });
  const reader = readerOf(directory);
  for (let i = 0; i < 40; i++) {
    const began = i * 10;
    for (const line of numbered(began, began + 9)) writer.append(line);
    const reading = all(reader);
    await writer.flushed();
    const found = (await reading).map((line) => Number(line.split(':')[0]));
    // Whole, in order; what came meanwhile may be there or not.
    t.ok(found.every((number, at) => number > (found[at - 1] ?? -1)));
    t.equal((await all(reader)).at(-1), `${began + 9}:item ${began + 9}`);
  }
  await writer.end();
  t.equal((await reader.index()).ended, true);
});

t.test('every state that a crash leaves is taken up again', async (t) => {
  const lines = numbered(1000, 1030);
  const states: Readonly<Record<string, (directory: string) => void>> = {
    'a closed part is not in the index': (directory) => {
      const index = textOf(join(directory, 'index.txt')).trimEnd().split('\n').slice(0, -1);
      rmSync(join(directory, `part${index.length + 1}.txt`), { force: true });
      writeFileSync(join(directory, 'index.txt'), index.map((line) => `${line}\n`).join(''));
    },
    'the last line of the index is cut': (directory) => {
      appendFileSync(join(directory, 'index.txt'), 'F:part9.txt:10');
    },
    'the index is gone': (directory) => rmSync(join(directory, 'index.txt')),
    'a new index was half written': (directory) => {
      writeFileSync(join(directory, 'index.txt.part'), 'F:part');
    },
    'the next part is empty': (directory) => {
      const { parts } = parseIndex(textOf(join(directory, 'index.txt')));
      writeFileSync(join(directory, `part${(parts.at(-1)?.number ?? 0) + 2}.txt`), '');
    },
  };
  for (const [name, damage] of Object.entries(states)) {
    const directory = newDirectory(t);
    await write(directory, lines);
    damage(directory);
    const before = await all(readerOf(directory));
    await write(directory, ['2000:next']);
    const after = await all(readerOf(directory));
    t.strictSame(after.slice(0, before.length), before, name);
    t.equal(after.at(-1), '2000:next', name);
    t.strictSame(after.slice(0, -1), lines.slice(0, after.length - 1), name);
  }
});

t.test('parts that the index dropped and a crash left are deleted, not found again', async (t) => {
  const directory = newDirectory(t);
  await write(directory, numbered(1000, 1030));
  const lines = textOf(join(directory, 'index.txt')).trimEnd().split('\n');
  writeFileSync(join(directory, 'index.txt'), `${lines.slice(2).join('\n')}\n`);
  await write(directory, ['2000:next']);
  t.equal(readdirSync(directory).includes('part0.txt'), false);
  const dropped = parseIndex(`${lines.slice(0, 2).join('\n')}\n`).parts.reduce(
    (sum, { count }) => sum + count,
    0,
  );
  t.equal((await all(readerOf(directory))).length, 31 - dropped + 1);
});

t.test(
  'a killed writer: what it said is written is read, and another goes on',
  { timeout: 60_000 },
  async (t) => {
    const directory = newDirectory(t);
    const script = new URL('./part-files/appender.js', import.meta.url);
    let acknowledged = 0;
    for (let round = 0; round < 4; round++) {
      const child = spawn(process.execPath, [script.pathname, directory, String(acknowledged + 1)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const exited = once(child, 'exit');
      const goal = acknowledged + 200 + round * 37;
      for await (const line of createInterface({ input: child.stdout })) {
        acknowledged = Number(line);
        if (acknowledged >= goal) child.kill('SIGKILL');
      }
      await exited;
      const found = await all(readerOf(directory));
      t.ok(found.length >= acknowledged, `${found.length} of ${acknowledged}`);
      t.strictSame(found, numbered(1, found.length));
      acknowledged = found.length;
    }
  },
);

t.test('too much that waits is refused and counted; nothing is appended after the close', async (t) => {
  const directory = newDirectory(t);
  const writer = await openPartWriter(directory, { ...options, maxPendingBytes: 100 });
  const accepted = numbered(1000, 1020).filter((line) => writer.append(line));
  t.ok(accepted.length > 3 && accepted.length < 10);
  t.equal(writer.lost, 21 - accepted.length);
  t.ok(writer.pendingBytes <= 100);
  await writer.flushed();
  t.equal(writer.pendingBytes, 0);
  t.equal(writer.append('1021:later'), true);
  await writer.close();
  t.equal(writer.append('1022:too late'), false);
  t.strictSame(await all(readerOf(directory)), [...accepted, '1021:later']);
});

t.test('a disk that can not be written loses lines, says so, and is tried again', async (t) => {
  const directory = newDirectory(t);
  const problems: unknown[] = [];
  const writer = await openPartWriter(directory, { ...options, onProblem: (error) => problems.push(error) });
  writer.append('1000:first');
  await writer.flushed();
  // In the way of the next part, so that writing fails: a folder.
  rmSync(join(directory, 'part0.txt'));
  mkdirSync(join(directory, 'part0.txt'));
  writer.append('1001:lost');
  writer.setMeta(['1.0']);
  await new Promise<void>((resolve) => {
    const poll = setInterval(() => {
      if (problems.length === 0) return;
      clearInterval(poll);
      resolve();
    }, 5);
  });
  rmSync(join(directory, 'part0.txt'), { recursive: true });
  writer.append('1002:again');
  await writer.close();
  t.equal(writer.lost, 1);
  t.equal(problems.length, 1);
  t.strictSame(await all(readerOf(directory)), ['1002:again']);
  t.strictSame(await readerOf(directory).meta(), ['1.0']);
});

t.test('lines without a time are refused on writing and left out on reading', async (t) => {
  const directory = newDirectory(t);
  const writer = await openPartWriter(directory, options);
  t.throws(() => writer.append('no time'), TypeError);
  t.throws(() => writer.append('1000:a\nb'), TypeError);
  writer.append('1000:a');
  await writer.close();
  appendFileSync(join(directory, 'part0.txt'), '\u0000\u0000\n1001:b\n');
  t.strictSame(await all(readerOf(directory)), ['1000:a', '1001:b']);
});

t.test('the meta lines are replaced whole, and kept for the next writer', async (t) => {
  const directory = newDirectory(t);
  t.equal(await readerOf(directory).meta(), undefined);
  const writer = await openPartWriter(directory, options);
  writer.setMeta(['1.0']);
  writer.setMeta(['1.0', '1:{}']);
  await writer.close();
  await write(directory, ['1000:a']);
  t.strictSame(await readerOf(directory).meta(), ['1.0', '1:{}']);
});

t.test('an aborted reader stops', async (t) => {
  const directory = newDirectory(t);
  await write(directory, numbered(1000, 1099));
  const controller = new AbortController();
  const reading = (async () => {
    let count = 0;
    for await (const _ of readerOf(directory).lines({ signal: controller.signal })) {
      if (++count === 3) controller.abort();
    }
  })();
  await t.rejects(reading, { name: 'AbortError' });
});

t.test('characters of several bytes are whole wherever the pieces are cut', async (t) => {
  const lines = numbered(1000, 1400).map((line) => `${line} Grüße 🚰 ${'ü'.repeat(400)}`);
  const directory = newDirectory(t);
  await write(directory, lines, { maxPartBytes: 1_000_000, maxBytes: 3_000_000, maxPendingBytes: 1_000_000 });
  t.strictSame(await all(readerOf(directory)), lines);
});

t.test('the newest lines, and fewer of them where they are long', async (t) => {
  const directory = newDirectory(t);
  writeFileSync(join(directory, 'index.txt'), '');
  writeFileSync(join(directory, 'part0.txt'), '1:a\n2:bb\n3:cccc\n4:d\n');
  const newest = async (count: number, maxLength?: number) =>
    (await readerOf(directory).newest(count, undefined, maxLength)).map(({ line }) => line);
  t.same(await newest(3), ['2:bb', '3:cccc', '4:d']);
  t.same(await newest(3, 9), ['3:cccc', '4:d']);
  t.same(await newest(3, 1), ['4:d'], 'one at least');
});
