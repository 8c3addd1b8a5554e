import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { checkCapacity } from '../../../../../lib/features/app-packages/archive/check-capacity.js';
import type { ArchiveSource } from '../../../../../lib/features/app-packages/archive/reader.js';
import { createShares } from '../../../../../lib/features/app-packages/archive/shares.js';
import { archiveShelf } from '../../../../../lib/features/app-packages/archive/shelf.js';
import { BadRequest, NotReady, TooManyRequests } from '../../../../../lib/model/errors.js';
import { packageWithDirectory } from '../../../../helpers/large-directories.js';

// What requests and uploads hold in memory together has a limit; who can't have a part of it waits.

const mebi = 1024 ** 2;
const forever = 600_000;
const turns = async () => {
  for (let i = 0; i < 20; i++) await setImmediate();
};

/** What was read of it is counted. */
function counted(bytes: Buffer): ArchiveSource & { readBytes: number } {
  return {
    size: bytes.length,
    readBytes: 0,
    async read(position, length) {
      this.readBytes += length;
      return bytes.subarray(position, position + length);
    },
    stream: ({ start = 0, end } = {}) => Readable.from([bytes.subarray(start, end)]),
  };
}

t.test('a directory is read once for all who want it, and keeps only what is of use', async (t) => {
  const bytes = packageWithDirectory(4 * mebi, { 'conf/x.xml': '<configuration/>' });
  const source = counted(bytes);
  const shelf = archiveShelf();
  const lent = await Promise.all(Array.from({ length: 40 }, () => shelf.own(source, { id: 'one' })));
  t.ok(source.readBytes < 1.5 * bytes.length, `${source.readBytes} of ${bytes.length} bytes were read`);
  const [first] = lent;
  t.strictSame(
    first?.archive.entries.map(({ name }) => name),
    ['META-INF/MANIFEST.MF', 'conf/x.xml'],
  );
  const entry = first?.archive.entry('conf/x.xml');
  t.equal(String(entry && (await first?.archive.read(entry, 1000))), '<configuration/>');
  for (const { release } of lent) release();
  const before = source.readBytes;
  (await shelf.own(source, { id: 'one' })).release();
  t.equal(source.readBytes, before, 'a little is kept for the next one');
});

t.test('who hangs up takes nothing from others who wait for the same directory', async (t) => {
  const source = counted(packageWithDirectory(8 * mebi));
  const shelf = archiveShelf();
  const leader = new AbortController();
  const first = shelf.whole(source, { id: 'one', signal: leader.signal });
  const second = shelf.whole(source, { id: 'one' });
  const alone = new AbortController();
  const other = shelf.toCopy(source, { id: 'other', signal: alone.signal });
  leader.abort(new Error('gone'));
  alone.abort(new Error('gone too'));
  await Promise.all([t.rejects(first, { message: 'gone' }), t.rejects(other, { message: 'gone too' })]);
  const { archive, release } = await second;
  t.ok(archive.entry('data/0'));
  release();
});

t.test('directories of several packages have one memory: who can not have a part of it waits', async (t) => {
  const [one, other] = [counted(packageWithDirectory(4 * mebi)), counted(packageWithDirectory(4 * mebi))];
  const shelf = archiveShelf({ totals: { small: mebi, large: 6 * mebi } });
  const first = await shelf.toCopy(one, { id: 'one' });
  let isThere = false;
  const second = shelf.toCopy(other, { id: 'other' }).then((lent) => {
    isThere = true;
    return lent;
  });
  for (let i = 0; i < 10; i++) await turns();
  t.equal(isThere, false);
  t.ok(other.readBytes < mebi, `${other.readBytes} bytes of it were read meanwhile`);
  first.release();
  (await second).release();
});

t.test('shares: first come, first served, up to the total', async (t) => {
  const shares = createShares({ total: 10, timeoutMillis: forever, spare: () => {} });
  const order: string[] = [];
  const first = await shares.take(6);
  const waiting = shares.take(8).then((share) => {
    order.push('eight');
    return share;
  });
  const behind = shares.take(1).then((share) => {
    order.push('one');
    return share;
  });
  const stop = new AbortController();
  const leaving = shares.take(5, stop.signal);
  await turns();
  t.strictSame(order, [], 'one that would fit does not overtake');
  stop.abort(new Error('gone'));
  await t.rejects(leaving, { message: 'gone' });
  first.shrink(2);
  await turns();
  t.strictSame(order, ['eight']);
  first.release();
  first.release();
  await turns();
  t.strictSame(order, ['eight', 'one']);
  (await waiting).release();
  (await behind).release();
  const all = await shares.take(1000);
  t.ok(all, 'who wants more than there is gets all');
  const impatient = createShares({ total: 1, timeoutMillis: 1, spare: () => {} });
  await impatient.take(1);
  await t.rejects(impatient.take(1), NotReady);
});

t.test('memory of checks: small ones never wait, large ones take turns', async (t) => {
  const limits = {
    each: 1,
    levels: [
      { bytes: 10, checks: 2 },
      { bytes: 100, checks: 1 },
    ],
  };
  const capacity = checkCapacity(limits, forever);
  const grown: string[] = [];
  const large = capacity.reserve(() => grown.push('told to be large'));
  await large.grow(50);
  t.equal(large.granted, 100);
  const next = capacity.reserve();
  const waiting = next.grow(11).then(() => grown.push('next'));
  const small = capacity.reserve();
  await small.grow(1);
  const middle = capacity.reserve();
  await middle.grow(10);
  const given = capacity.reserve();
  const givenUp = given.grow(5);
  given.release();
  await t.rejects(givenUp, /given up/);
  t.strictSame(grown, ['told to be large']);
  await t.rejects(large.grow(101), BadRequest, 'no archive may take so much');
  large.release();
  large.release();
  await waiting;
  t.strictSame(grown, ['told to be large', 'next']);
  next.release();
  middle.release();
  const again = capacity.reserve();
  await again.grow(100);
  const impatient = checkCapacity(limits, 1);
  await impatient.reserve().grow(100);
  await t.rejects(impatient.reserve().grow(100), TooManyRequests);
});

t.test('memory of checks: one that is let in and given up at the same moment leaves its place', async (t) => {
  const capacity = checkCapacity({ each: 1, levels: [{ bytes: 10, checks: 1 }] }, forever);
  const first = capacity.reserve();
  await first.grow(10);
  const second = capacity.reserve();
  const waiting = second.grow(10);
  first.release();
  second.release();
  await t.rejects(waiting, /given up/);
  await capacity.reserve().grow(10);
});
