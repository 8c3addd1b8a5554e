import t from 'tap';
import { z } from 'zod';
import type { Principal } from '../../../lib/http/principal.js';
import type { Hub } from '../../../lib/pubsub/hub.js';
import { listing, topicFor } from '../../../lib/pubsub/topic.js';
import { stage } from './stage.js';

// What a list does not hold any more is named once more, with its end state; who comes later gets the list as it is.

interface Item {
  readonly id: string;
  readonly state: string;
}
interface Items {
  readonly items: Item[];
}

function world() {
  return {
    items: new Set<string>(),
    /** Those of them that the list itself calls ended. */
    over: new Set<string>(),
    isDown: false,
    /** Those of which nobody can tell how they ended. */
    unclear: new Set<string>(),
    reads: 0,
  };
}
type World = ReturnType<typeof world>;

const topics = {
  room: {
    filler: topicFor<World>()({
      name: 'cluster.filler',
      summary: '',
      access: 'user',
      data: z.unknown(),
      kind: 'snapshot',
    }),
    list: topicFor<World>()({
      name: 'applications',
      summary: '',
      access: 'user',
      data: z.custom<Items>(),
      kind: 'snapshot',
      every: 20,
      async read(at): Promise<Items> {
        at.reads++;
        if (at.isDown) throw new Error('down');
        return { items: [...at.items].map((id) => ({ id, state: at.over.has(id) ? 'KILLED' : 'RUNNING' })) };
      },
      listing: listing({
        entries: ({ items }: Items) => items,
        list: (items): Items => ({ items }),
        id: ({ id }) => id,
        async ended(at: World, { id, state }) {
          if (state === 'KILLED') return undefined;
          if (at.unclear.has(id) || at.items.has(id)) throw new Error('nobody knows');
          return { id, state: 'KILLED' };
        },
      }),
    }),
  },
};

const viewOf = (_: World, { userName }: Principal, { items }: Items): Items => ({
  items: items.filter(({ id }) => id.startsWith(userName)),
});

/** States that were told of one, each once. */
const storyOf = (peer: { dataOf(topic: string): unknown[] }, id: string): string[] => {
  const told = peer.dataOf('applications').map((data) => {
    const { items } = z
      .object({ items: z.array(z.object({ id: z.string(), state: z.string() })) })
      .parse(data);
    return items.find((item) => item.id === id)?.state ?? 'absent';
  });
  return told.filter((state, index) => state === 'KILLED' || state !== told[index - 1]);
};

t.test('what a newer list lacks, wherever the others stand', async (t) => {
  const { missing } = topics.room.list.listing ?? {};
  const listOf = (ids: string): Items => ({ items: [...ids].map((id) => ({ id, state: 'RUNNING' })) });
  for (const [older, newer, gone] of [
    ['', '', ''],
    ['', 'ab', ''],
    ['ab', 'ab', ''],
    ['ab', 'abc', ''],
    ['ab', 'ba', ''],
    ['ab', 'cab', ''],
    ['abc', 'ab', 'c'],
    ['abc', 'bc', 'a'],
    ['abc', 'dcb', 'a'],
    ['ab', '', 'ab'],
    ['ab', 'cd', 'ab'],
  ] as const)
    t.strictSame(
      [...(missing?.(listOf(older), listOf(newer)) ?? [])],
      [...gone].map((id) => [id, listOf(id)]),
      `${older} and then ${newer}`,
    );
});

t.test(
  'every listener hears of an end once; who comes later, and who looks, sees the list as it is',
  async (t) => {
    const at = world();
    at.items.add('a').add('b');
    const { hub, open } = await stage(t, { topics, services: { room: at } });
    const [ann, bob] = [await open('ann'), await open('bob')];
    ann.subscribe('applications');
    bob.subscribe('applications');
    await ann.until(() => storyOf(ann, 'a').includes('RUNNING'));
    await bob.until(() => storyOf(bob, 'a').includes('RUNNING'));
    at.items.delete('a');
    await ann.until(() => storyOf(ann, 'a').includes('KILLED'), 'the last word');
    t.notMatch(hub.latest('applications'), 'KILLED', 'alerts read what is');
    const late = await open('admin');
    late.subscribe('applications');
    await late.until(() => late.dataOf('applications').length > 1);
    for (const peer of [ann, bob]) {
      await peer.until(() => storyOf(peer, 'a').at(-1) === 'absent');
      t.strictSame(storyOf(peer, 'a'), ['RUNNING', 'KILLED', 'absent']);
      t.strictSame(storyOf(peer, 'b'), ['RUNNING'], 'the others stay');
    }
    t.strictSame(storyOf(late, 'a'), ['absent']);
  },
);

t.test('what ended while nobody listened, and while the source was down, is named too', async (t) => {
  const at = world();
  at.items.add('a').add('b').add('c');
  const { open, hub } = await stage(t, { topics, services: { room: at } });
  const ann = await open('ann');
  ann.subscribe('applications');
  await ann.until(() => storyOf(ann, 'a').includes('RUNNING'));
  ann.say({ type: 'unsubscribe', topic: 'applications' });
  await ann.settled();
  t.equal(hub.latest('applications'), undefined);
  at.items.delete('a');
  ann.subscribe('applications');
  await ann.until(() => storyOf(ann, 'a').at(-1) === 'absent');
  t.strictSame(storyOf(ann, 'a'), ['RUNNING', 'KILLED', 'absent']);

  at.isDown = true;
  const before = at.reads;
  at.items.delete('b');
  at.unclear.add('b');
  at.unclear.add('c');
  await ann.until(() => at.reads > before + 3, 'readings that fail');
  t.notOk(storyOf(ann, 'b').includes('KILLED'), 'unknown is not ended');
  at.isDown = false;
  const again = at.reads;
  await ann.until(() => at.reads > again + 3, 'readings that work');
  at.unclear.delete('b');
  await ann.until(() => storyOf(ann, 'b').includes('KILLED'), 'asked again until it is known');
  await ann.until(() => storyOf(ann, 'b').at(-1) === 'absent');
  t.equal(storyOf(ann, 'b').filter((state) => state === 'KILLED').length, 1);
  t.strictSame(storyOf(ann, 'c'), ['RUNNING'], 'never called ended while it runs');
});

/** Snapshots until its socket takes no more. */
async function fill(hub: Hub): Promise<void> {
  for (let n = 0; hub.stats.slowSockets === 0 && n < 2000; n++) {
    hub.publish('cluster.filler', JSON.stringify({ n, padding: 'x'.repeat(64 * 1024) }));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

t.test('who is spared the list that named an end, hears of it in the next one that he gets', async (t) => {
  const at = world();
  at.items.add('a').add('b').add('c').add('d');
  const { hub, open } = await stage(t, { topics, services: { room: at } });
  const [frozen, healthy] = [await open('ann'), await open('bob')];
  for (const peer of [frozen, healthy]) {
    peer.subscribe('applications');
    if (peer === frozen) peer.subscribe('cluster.filler');
    await peer.until(() => storyOf(peer, 'a').includes('RUNNING'));
  }
  frozen.socket?.pause();
  await fill(hub);
  t.equal(hub.stats.slowSockets, 1);
  const ends = async (id: string) => {
    at.items.delete(id);
    await healthy.until(() => storyOf(healthy, id).at(-1) === 'absent', `the end of ${id}`);
  };
  await ends('a');
  await ends('b');
  const comesAgain = 'c';
  await ends(comesAgain);
  at.items.add(comesAgain);
  await healthy.until(() => storyOf(healthy, comesAgain).at(-1) === 'RUNNING');
  t.notOk(storyOf(frozen, 'a').includes('KILLED'), 'it was sent nothing meanwhile');
  frozen.socket?.resume();
  await frozen.until(() => storyOf(frozen, 'b').at(-1) === 'absent');
  for (const peer of [frozen, healthy]) {
    for (const id of ['a', 'b']) t.strictSame(storyOf(peer, id), ['RUNNING', 'KILLED', 'absent']);
    t.strictSame(storyOf(peer, 'd'), ['RUNNING']);
  }
  t.strictSame(storyOf(frozen, comesAgain), ['RUNNING'], 'what is there again has not ended');
  t.ok(hub.stats.skipped > 0, 'lists were skipped');
});

t.test('who is spared a list of which he sees a part, hears of the ends in that part', async (t) => {
  const at = world();
  at.items.add('ann.1').add('ann.2').add('bob.1');
  const mine = { ...topics.room.list, view: viewOf };
  const { hub, open } = await stage(t, {
    topics: { room: { list: mine, filler: topics.room.filler } },
    services: { room: at },
  });
  const [ann, bob] = [await open('ann'), await open('bob')];
  ann.subscribe('applications');
  ann.subscribe('cluster.filler');
  bob.subscribe('applications');
  await ann.until(() => storyOf(ann, 'ann.1').includes('RUNNING'));
  await bob.until(() => storyOf(bob, 'bob.1').includes('RUNNING'));
  ann.socket?.pause();
  await fill(hub);
  at.items.delete('ann.1');
  at.items.delete('bob.1');
  await bob.until(() => storyOf(bob, 'bob.1').at(-1) === 'absent');
  ann.socket?.resume();
  await ann.until(() => storyOf(ann, 'ann.1').at(-1) === 'absent');
  t.strictSame(storyOf(ann, 'ann.1'), ['RUNNING', 'KILLED', 'absent']);
  t.strictSame(storyOf(bob, 'bob.1'), ['RUNNING', 'KILLED', 'absent']);
  t.strictSame([storyOf(ann, 'bob.1'), storyOf(bob, 'ann.1')], [['absent'], ['absent']]);
});

t.test('where the list can not be read, an end is told among all that is known', async (t) => {
  const at = world();
  for (const id of ['a', 'b', 'c', 'old']) at.items.add(id);
  at.over.add('old');
  const { open } = await stage(t, { topics, services: { room: at } });
  const ann = await open('ann');
  ann.subscribe('applications');
  await ann.until(() => storyOf(ann, 'a').includes('RUNNING'));
  t.strictSame(storyOf(ann, 'old'), ['KILLED']);
  at.isDown = true;
  at.items.clear();
  at.unclear.add('b').add('c');
  await ann.until(() => storyOf(ann, 'a').includes('KILLED'));
  t.strictSame(storyOf(ann, 'b'), ['RUNNING'], 'nobody knows, so it is not left out');
  t.strictSame(storyOf(ann, 'old').at(-1), 'KILLED', 'nor is what ended before');
  at.unclear.delete('b');
  await ann.until(() => storyOf(ann, 'b').includes('KILLED'));
  t.strictSame(storyOf(ann, 'c'), ['RUNNING']);
  t.notOk(storyOf(ann, 'old').includes('absent'));
});
