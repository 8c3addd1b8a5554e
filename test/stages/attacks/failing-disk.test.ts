import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { testFolder } from '../../helpers/folder.js';
import { createLedger, insist, type Keeper, type Ledger, startKeeper } from '../../helpers/kept-storage.js';
import { failingDisk } from './disk/failing-disk.js';

const timeoutMillis = 45_000;
const kindsOfFaults = ['w', 's', 'ws', 'o', 'r', 'p', 'wsrop'] as const;

const pick = <T>(from: readonly [T, ...T[]]): T => from[Math.floor(Math.random() * from.length)] ?? from[0];
const size = (most: number) => 1 + Math.floor(Math.random() * most);

/** Resolves what the storage said to each. */
async function writeMuch(ledger: Ledger, keeper: Keeper, round: number): Promise<(string | undefined)[]> {
  const told: (string | undefined)[] = [];
  for (let i = 0; i < 12; i++) {
    const results = await Promise.all([
      ledger.write(keeper, [[`own ${round} ${i}`, 'x'.repeat(size(30_000))]]),
      ledger.write(keeper, [
        ['shared', `${round} ${i}`],
        [`pair ${i}`, 'y'.repeat(size(3000))],
      ]),
      ledger.write(keeper, [[`pair ${i + 1}`, null]]),
      ledger.writeBlob(keeper, `blob ${i}`, Math.random() < 0.2 ? null : size(300_000)),
    ]);
    told.push(...results);
  }
  return told;
}

t.test('whatever fails below LevelDB and Node, and however: what is acknowledged is there', async (t) => {
  const root = testFolder(t);
  const directory = join(root, 'kept');
  await mkdir(directory);
  const disk = await failingDisk(root, directory);
  const ledger = createLedger();
  const began = performance.now();
  const told = new Map<string, number>();
  let rounds = 0;

  for (; performance.now() - began < timeoutMillis; rounds++) {
    const keeper = await startKeeper(directory, disk.env);
    await insist(() => ledger.write(keeper, [[`before ${rounds}`, 'x']]));
    const how = [
      pick(kindsOfFaults),
      pick([1, 0.3, 0.05]),
      pick<'ENOSPC' | 'EIO'>(['ENOSPC', 'EIO']),
    ] as const;
    await disk.fail(...how);
    for (const what of await writeMuch(ledger, keeper, rounds))
      told.set(String(what), (told.get(String(what)) ?? 0) + 1);
    // Now and then it ends as it is.
    if (Math.random() < 0.7) {
      await disk.mend();
      const attempts = await insist(() => ledger.write(keeper, [[`after ${rounds}`, 'x']]));
      t.ok(attempts < 20, `taken again at attempt ${attempts}`);
      await writeMuch(ledger, keeper, rounds);
      t.match(await keeper.do({ op: 'problems' }), { value: [] }, 'nothing is wrong any more');
    }
    await (Math.random() < 0.5 ? keeper.kill() : keeper.close());
    await disk.mend();
    t.strictSame(await ledger.judge(directory), [], `round ${rounds}: ${how.join(' ')}`);
  }
  t.comment(
    `${rounds} rounds, ${ledger.acknowledged} acknowledged; while it failed: ${JSON.stringify([...told])}`,
  );
  t.ok(rounds >= 5, `${rounds} rounds`);
  t.ok(
    (told.get('StorageFailed') ?? 0) > 5 && (told.get('NotReady') ?? 0) > 5,
    'there was something to lose',
  );
});
