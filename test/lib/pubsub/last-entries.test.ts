import t from 'tap';
import { z } from 'zod';
import type { Principal } from '../../../lib/http/principal.js';
import type { Subscriber } from '../../../lib/pubsub/client.js';
import { createFramer, type Frame } from '../../../lib/pubsub/frame.js';
import { lastFrame } from '../../../lib/pubsub/last-entries.js';
import { valueMessage } from '../../../lib/pubsub/message.js';
import { createRecipientFilter } from '../../../lib/pubsub/recipient-filter.js';
import { type LastEntries, listing, topicFor } from '../../../lib/pubsub/topic.js';
import { principal } from './stage.js';

// What a list named for the last time, where a newer list took its place before it was sent.

/** A number is `id * 10 + state`. */
const numbers = listing({
  entries: (data: unknown) => z.array(z.number()).parse(data),
  list: (entries): unknown => entries,
  id: (entry) => String(Math.floor(entry / 10)),
  ended: async () => undefined,
});
const wordsOf = (...entries: number[]): LastEntries => numbers.split(entries);
const framer = createFramer('list', true);
const frameOf = (list: number[]) => framer.frame(JSON.stringify(list));
const wordedFrame = (list: number[], ...words: number[]) =>
  lastFrame(framer, numbers, frameOf(list), wordsOf(...words));

t.test('a newer frame takes the words of the one whose place it takes', async (t) => {
  const table: [title: string, skipped: Frame, newer: Frame, becomes: number[], words: number[]][] = [
    ['words are added', wordedFrame([10, 29], 29), frameOf([11]), [11, 29], [29]],
    [
      'those of the newer one stay',
      wordedFrame([10, 29], 29),
      wordedFrame([19, 30], 19),
      [19, 30, 29],
      [29, 19],
    ],
    ['what is there again has not ended', wordedFrame([10, 29], 29), frameOf([10, 20]), [10, 20], []],
    ['the newer word counts', wordedFrame([28], 28), wordedFrame([29], 29), [29], [29]],
    ['also into an empty list', wordedFrame([29], 29), frameOf([]), [29], [29]],
  ];
  for (const [title, skipped, newer, becomes, words] of table) {
    const frame = skipped.carryInto?.(newer);
    if (!frame) return t.fail(title);
    t.strictSame(JSON.parse(framer.dataOf(frame)), becomes, title);
    t.strictSame([...(frame.lastEntries?.values() ?? [])].flat(), words);
    t.equal(skipped.carryInto?.(newer), frame, 'made once for all that were spared the same');
    t.match(frame, { topic: 'list', isSnapshot: true });
  }
});

t.test('words go on from frame to frame until one is sent', async (t) => {
  const first = wordedFrame([10, 29], 29);
  const second = first.carryInto?.(wordedFrame([19], 19));
  const third = second?.carryInto?.(frameOf([30]));
  t.strictSame(third && JSON.parse(framer.dataOf(third)), [30, 29, 19]);
});

t.test('a list that waits for views of the one before it gives way, and its words do not', async (t) => {
  const client = (userName: string): Subscriber => ({
    socket: {
      bufferedAmount: 0,
      send: () => 0,
      ping() {},
      close() {},
      terminate() {},
    },
    pending: undefined,
    backlog: undefined,
    isHeld: false,
    isClosed: false,
    unsentBytes: 0,
    movedAt: 0,
    caller: { principal: principal(userName) },
    audiences: [],
    slot: 0,
    heardAt: 0,
    pingedAt: 0,
    unsentAtPing: 0,
  });
  const topic = topicFor<undefined>()({
    name: 'list',
    summary: '',
    access: 'user',
    data: z.unknown(),
    kind: 'snapshot',
    listing: numbers,
    view: (_, { userName }: Principal, data) =>
      numbers.join(
        [...numbers.split(data)].flatMap(([id, part]) => (id === '9' && userName === 'bob' ? [] : [part])),
      ),
  });
  const sent: [client: string | undefined, list: unknown, words: unknown][] = [];
  const viewer = createRecipientFilter(
    { topic, service: undefined, params: undefined },
    {
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      // One view a turn.
      slice: { isOver: () => true },
      sendQueue: {
        send({ caller }: Partial<Subscriber>, frame) {
          const words = [...(frame.lastEntries?.values() ?? [])].flat();
          sent.push([caller?.principal?.userName, JSON.parse(framer.dataOf(frame)), words]);
        },
      },
    },
  );
  const subscribers = new Set([client('ann'), client('bob')]);
  const deliver = (list: number[], words?: LastEntries) =>
    viewer.deliver({ name: 'list', framer, isSnapshot: true, subscribers }, valueMessage(list, words));
  deliver([10, 20, 90]);
  deliver([10, 29, 99], wordsOf(29, 99));
  deliver([11]);
  for (let i = 0; i < 20 && sent.length < 4; i++) await new Promise((resolve) => setImmediate(resolve));
  t.strictSame(sent, [
    ['ann', [10, 20, 90], []],
    ['bob', [10, 20], []],
    ['ann', [11, 29, 99], [29, 99]],
    ['bob', [11, 29], [29]],
  ]);
});
