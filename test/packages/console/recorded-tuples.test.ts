import t from 'tap';
import {
  added,
  emptyBuffer,
  lineOf,
  ndjson,
  tuplesIn,
} from '../../../packages/console/src/features/operators/recordings/tuples.js';
import { ExactNumber, parseExact } from '../../../packages/console/src/format/exact-json.js';

const live = (count: number, data: string) =>
  `{"portId":"0","windowId":"7301444403200000003","tupleCount":${count},"data":${data}}`;

/** Not in each version of Node.js; browsers tell a number's text. */
const tellsSource = parseExact('9007199254740993') instanceof ExactNumber;
const large = tellsSource ? '9007199254740993' : '9007199254740992';

t.test('the tuples of an answer, in order', async (t) => {
  const { offset, tuples } = tuplesIn(
    `{"startOffset":"40","tuples":[{"windowId":"8","tuples":[{"portId":"0","data":{"n":${large}}},{"portId":"1","data":null}]},{"windowId":"9","tuples":[]}]}`,
  );
  t.equal(offset, 40);
  t.strictSame(
    tuples.map(({ windowId, portId, data }) => [windowId, portId, lineOf(data)]),
    [
      ['8', '0', `{"n":${large}}`],
      ['8', '1', 'null'],
    ],
  );
  t.strictSame(tuplesIn('{"startOffset":"-1","tuples":[]}'), { offset: -1, tuples: [] });
});

t.test('a buffer keeps the newest, and tells what it let go and what it never saw', async (t) => {
  const first = added(emptyBuffer, [live(5, '1'), live(6, '2')], 3);
  t.strictSame([first.tuples.length, first.letGo, first.unseen], [2, 0, 0], 'what was before is not missed');
  const next = added(first, [live(7, '3'), live(10, '4')], 3);
  t.strictSame(
    next.tuples.map(({ data }) => data),
    [2, 3, 4],
  );
  t.strictSame([next.letGo, next.unseen, next.count], [1, 2, 10]);
  t.strictSame(first.tuples.length, 2, 'the one before stays as it was');
});

t.test('a file has a tuple on each line, digit for digit', async (t) => {
  const data = { a: [1, new ExactNumber('9007199254740993'), '\n'] };
  t.equal(
    ndjson([
      { windowId: '7301444403200000003', portId: '0', data },
      { windowId: '7301444403200000003', portId: '1', data: true },
    ]),
    '{"windowId":"7301444403200000003","portId":"0","data":{"a":[1,9007199254740993,"\\n"]}}\n' +
      '{"windowId":"7301444403200000003","portId":"1","data":true}\n',
  );
});
