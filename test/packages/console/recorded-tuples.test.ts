import t from 'tap';
import {
  added,
  emptyBuffer,
  lineOf,
  ndjson,
  tuplesIn,
} from '../../../packages/console/src/features/operators/recordings/tuples.js';

const live = (count: number, data: string) =>
  `{"portId":"0","windowId":"7301444403200000003","tupleCount":${count},"data":${data}}`;

t.test('the tuples of an answer keep their digits', async (t) => {
  const { offset, tuples } = tuplesIn(
    '{"startOffset":"40","tuples":[{"windowId":"8","tuples":[{"portId":"0","data":{"n":9007199254740993}},{"portId":"1","data":null}]},{"windowId":"9","tuples":[]}]}',
  );
  t.equal(offset, 40);
  t.strictSame(
    tuples.map(({ windowId, portId, data }) => [windowId, portId, lineOf(data)]),
    [
      ['8', '0', '{"n":9007199254740993}'],
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
  const { tuples } = added(emptyBuffer, [live(1, '{"a":[1,9007199254740993,"\\n"]}'), live(2, 'true')], 10);
  t.equal(
    ndjson(tuples),
    '{"windowId":"7301444403200000003","portId":"0","data":{"a":[1,9007199254740993,"\\n"]}}\n' +
      '{"windowId":"7301444403200000003","portId":"0","data":true}\n',
  );
});
