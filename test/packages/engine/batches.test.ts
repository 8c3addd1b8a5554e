import t from 'tap';
import { decodeBatch, encodeBatch } from '../../../packages/engine/container/batches.js';
import { createFrameCutter, frameKind } from '../../../packages/engine/container/frames.js';

const repeat = (text: string, count: number) => Array.from({ length: count }, (_, i) => `${i}${text}`);

const cases: readonly {
  readonly what: string;
  readonly tuples: readonly unknown[];
  readonly kind: number;
}[] = [
  { what: 'ASCII', tuples: repeat('x'.repeat(200), 512), kind: frameKind.texts },
  { what: 'empty texts among others', tuples: ['', 'a', '', 'bc', ''], kind: frameKind.texts },
  { what: 'control characters', tuples: ['a\0b', '\n', '\x7f'], kind: frameKind.texts },
  { what: 'characters of one byte beyond ASCII', tuples: ['plain', 'caf\xe9'], kind: frameKind.data },
  { what: 'characters of two bytes', tuples: ['plain', '\u6c34', '\u{1f30a}'], kind: frameKind.data },
  { what: 'half of a pair', tuples: ['\ud83c', 'plain', '\udf0a'], kind: frameKind.data },
  { what: 'a number among texts', tuples: ['1', 1, '1'], kind: frameKind.data },
  { what: 'numbers', tuples: [0, -0, 1.5, Number.NaN, 2 ** 60], kind: frameKind.data },
  { what: 'objects', tuples: [{ a: [1, 'b'] }, new Map([['k', 1n]]), null, undefined], kind: frameKind.data },
];

t.test('a batch comes out as it went in, however its frame is cut', async (t) => {
  for (const { what, tuples, kind } of cases)
    for (const size of [1, 7, Infinity]) {
      const bytes = encodeBatch(tuples, 42);
      const cut = createFrameCutter();
      const frames = [];
      for (let at = 0; at < bytes.length; at += size)
        frames.push(...cut(bytes.subarray(at, Math.min(bytes.length, at + size))));
      const [frame] = frames;
      if (!frame) throw new Error('No frame came out');
      t.equal(frames.length, 1, what);
      t.match(frame, { kind, window: 42, tuples: tuples.length }, what);
      t.strictSame(decodeBatch(frame), tuples, what);
    }
});

t.test('texts that are not as long as their frame says are refused', async (t) => {
  const [frame] = createFrameCutter()(encodeBatch(['abc', 'de'], 1));
  if (!frame) throw new Error('No frame came out');
  frame.body.writeUInt32LE(2, 0);
  t.throws(() => decodeBatch(frame), { message: /other lengths/ });
});

t.test('a batch beyond the limit is refused before it is made', async (t) => {
  const text = 'x'.repeat(40 * 1024 * 1024);
  t.throws(() => encodeBatch([text, text], 1), { message: /2 tuples takes \d+ bytes/ });
});
