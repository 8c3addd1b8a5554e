import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import t from 'tap';
import { copyToDisk } from '../../../packages/yarn/facets/log-copy.js';
import { createLedger, insist, type Keeper, type Ledger, startKeeper } from '../../helpers/kept-storage.js';
import { smallDisk } from './disk/small-disk.js';

const timeoutMillis = 40_000;
const size = (most: number) => 1 + Math.floor(Math.random() * most);

/** Until the disk has refused some of it. */
async function writeUntilRefused(ledger: Ledger, keeper: Keeper, round: number): Promise<string[]> {
  const refused: string[] = [];
  for (let i = 0; refused.length < 6; i++) {
    const told = await Promise.all([
      ledger.write(keeper, [[`${round} ${i}`, 'x'.repeat(size(9000))]]),
      ledger.write(keeper, [['shared', `${round} ${i}`]]),
      ledger.writeBlob(keeper, `blob ${i % 5}`, size(50_000)),
    ]);
    refused.push(...told.filter((error) => error !== undefined));
  }
  return refused;
}

t.test('a copy of a log that does not fit is none, however much of it fits', async (t) => {
  const disk = await smallDisk(4 * 1024 ** 2);
  if (typeof disk === 'string') return t.comment(disk);
  t.teardown(() => disk.unmount());
  const { TMPDIR } = process.env;
  process.env['TMPDIR'] = disk.folder;
  t.teardown(() => {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  });
  const log = Buffer.alloc(64 * 1024, 'line of a log\n');
  const copy = () => copyToDisk(Readable.from([log]), 2 ** 20, () => new Error('too large'));
  for (let spare = 4096; spare < log.length; spare += 8192) {
    await disk.fill(spare);
    const told = await copy().then(
      async (open) => {
        const text = await buffer(open.read(0, open.length));
        await open.close();
        return `${text.length} of ${open.length} bytes`;
      },
      (error: NodeJS.ErrnoException) => error.code,
    );
    t.equal(told, 'ENOSPC', `room for ${spare} bytes`);
    await disk.free();
  }
  const whole = await copy();
  t.ok(log.equals(await buffer(whole.read(0, whole.length))));
  await whole.close();
});

const disk = await smallDisk(24 * 1024 ** 2);
const skip = typeof disk === 'string' ? disk : false;

t.test(
  'a small disk is filled and freed again and again: what is acknowledged is there',
  { skip },
  async (t) => {
    if (typeof disk === 'string') return;
    t.teardown(() => disk.unmount());
    const directory = join(disk.folder, 'kept');
    const ledger = createLedger();
    const began = performance.now();
    const refused = new Map<string, number>();
    let rounds = 0;

    for (; performance.now() - began < timeoutMillis; rounds++) {
      const keeper = await startKeeper(directory);
      await insist(() => ledger.write(keeper, [['kept', `${rounds}`]]));
      await disk.fill(size(40_000));
      for (const name of await writeUntilRefused(ledger, keeper, rounds))
        refused.set(name, (refused.get(name) ?? 0) + 1);
      t.match(await keeper.do({ op: 'read', key: 'kept' }), { value: `${rounds}` }, 'it is read meanwhile');
      await disk.free();
      const attempts = await insist(() => ledger.write(keeper, [['kept', `after ${rounds}`]]));
      t.equal(attempts, 1, 'the first change after that is taken');
      for (let i = 0; i < 10; i++) {
        await ledger.write(keeper, [[`after ${rounds} ${i}`, 'x'.repeat(size(3000))]]);
        await ledger.writeBlob(keeper, `after ${i % 3}`, i === 9 ? null : size(50_000));
      }
      t.match(await keeper.do({ op: 'problems' }), { value: [] }, 'nothing is wrong any more');
      await (rounds % 2 === 0 ? keeper.kill() : keeper.close());
      t.strictSame(await ledger.judge(directory), [], `round ${rounds}`);
      const again = await startKeeper(directory);
      for (let i = 0; i < 1000; i++) {
        // The disk is small: documents of this round make room for those of the next.
        const error = await ledger.write(again, [[`${rounds} ${i}`, null]]);
        if (error !== undefined || i > 50) break;
      }
      await again.close();
    }
    t.comment(
      `${rounds} rounds, ${ledger.acknowledged} acknowledged, refused: ${JSON.stringify([...refused])}`,
    );
    t.ok(rounds >= 5, `${rounds} rounds`);
  },
);
