import t from 'tap';
import { createFrames } from '../../../../../lib/features/system-alerts/conditions/frames.js';

// How texts reach the process of scripts: each behind four bytes with its length in UTF-8.

function textsIn(frame: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < frame.length; ) {
    const begin = at + 4;
    at = begin + frame.readUInt32LE(begin - 4);
    texts.push(frame.toString('utf8', begin, at));
  }
  return texts;
}

t.test('texts of all kinds come out as they went in, whatever was sent before', async (t) => {
  const frames = createFrames();
  for (const texts of [
    ['plain', '', 'x'.repeat(100_000)],
    ['grüße', '\u20ac'.repeat(50_000), '', ''],
    ['\u{1f44b}'.repeat(50_000)],
    ['\u20ac'.repeat(2_000_000), 'more than is kept'],
    ['small again'],
    [],
  ])
    for (const isPreviousSent of [true, false])
      t.ok(textsIn(frames(texts, isPreviousSent)).join('|') === texts.join('|'), `${texts.length}`);
});

t.test('what is still being sent is not written over', async (t) => {
  const frames = createFrames();
  const first = frames(['the first'], true);
  const second = frames(['another1'], false);
  frames(['third'], false);
  t.strictSame(textsIn(first), ['the first']);
  t.strictSame(textsIn(second), ['another1']);
});
