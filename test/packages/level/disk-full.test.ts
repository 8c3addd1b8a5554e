import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { testFolder } from '../../helpers/folder.js';
import { createLedger, insist, type Keeper, startKeeper } from '../../helpers/kept-storage.js';

const run = promisify(execFile);

/** Files of the process can't grow beyond so many bytes: what a disk does that becomes full in the middle of a record. */
const limitFiles = (keeper: Keeper, bytes: number | 'unlimited') =>
  run('prlimit', ['--pid', String(keeper.pid), `--fsize=${bytes}:unlimited`]);

async function journalBytes(directory: string): Promise<number> {
  const documents = join(directory, 'documents');
  const journals = (await readdir(documents)).filter((name) => name.endsWith('.log'));
  const sizes = await Promise.all(journals.map(async (name) => (await stat(join(documents, name))).size));
  return Math.max(...sizes);
}

t.test('what is acknowledged after the disk was full is there, whatever was torn', async (t) => {
  const hasLimits = await run('prlimit', ['--version']).catch(() => undefined);
  if (!hasLimits) return t.comment('prlimit is not there: no disk can be made full here');
  const directory = testFolder(t);
  const ledger = createLedger();

  for (let round = 0; round < 4; round++) {
    const keeper = await startKeeper(directory);
    await ledger.write(keeper, [[`before${round}`, 'x'.repeat(100)]]);
    await limitFiles(keeper, (await journalBytes(directory)) + 3000 + round);
    t.equal(await ledger.write(keeper, [[`torn${round}`, 'y'.repeat(20_000)]]), 'StorageFailed');
    t.equal(await ledger.write(keeper, [['before0', 'z']]), 'NotReady', 'nothing is written behind it');
    t.match(await keeper.do({ op: 'read', key: `before${round}` }), { value: /^(z|x{100})$/ }, 'it is read');
    t.match(await keeper.do({ op: 'problems' }), { value: [{ kind: 'store', message: /free space/ }] });
    t.ok(await ledger.writeBlob(keeper, 'large', 2_000_000), 'contents find no room either');

    await limitFiles(keeper, 'unlimited');
    await insist(() => ledger.write(keeper, [[`after${round}`, 'after']]));
    t.match(await keeper.do({ op: 'problems' }), { value: [] });
    for (let i = 0; i < 5; i++) await ledger.write(keeper, [[`after${round}.${i}`, 'w'.repeat(i * 300)]]);
    t.equal(await ledger.writeBlob(keeper, `blob${round}`, 100_000), undefined);
    await (round % 2 === 0 ? keeper.kill() : keeper.close());
    t.strictSame(await ledger.judge(directory), []);
  }
});
