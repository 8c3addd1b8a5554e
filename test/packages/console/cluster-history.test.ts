import t from 'tap';
import { shownEntries } from '../../../packages/console/src/features/cluster/entries.js';
import { samplesOf, withLoad } from '../../../packages/console/src/features/cluster/history.js';

const at = (moment: number, figures: Record<string, unknown> = {}) => ({ at: moment, figures });

t.test('the load is kept as far back as was said, in the order of time', async (t) => {
  let history = withLoad([], at(1), 3);
  for (const moment of [2, 3, 4]) history = withLoad(history, at(moment), 3);
  t.strictSame(
    history.map((load) => load.at),
    [2, 3, 4],
  );
  t.equal(withLoad(history, at(1), 3), history, 'what comes late is left out');
  const again = withLoad(history, at(4, { a: 1 }), 3);
  t.strictSame([again.length, again.at(-1)], [3, at(4, { a: 1 })], 'the later of one moment counts');
});

t.test('figures become samples; what is no number is a gap', async (t) => {
  t.strictSame(samplesOf([at(1, { a: 2, b: 'x' }), at(2, { b: Number.NaN })], ['a', 'b']), [
    { at: 1, values: [2, null] },
    { at: 2, values: [null, null] },
  ]);
});

t.test('entries of a configuration are found by name and value, in any case', async (t) => {
  const configuration = { 'b.10': 'one', 'b.9': 'Two', a: 'two three' };
  const names = (filter: string) => shownEntries(configuration, filter).map(([name]) => name);
  t.strictSame(names(''), ['a', 'b.9', 'b.10']);
  t.strictSame(names('TWO'), ['a', 'b.9']);
  t.strictSame(names('three a'), ['a']);
  t.strictSame(names('nothing'), []);
});
