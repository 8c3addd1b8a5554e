import { randomBytes } from 'node:crypto';
import t from 'tap';
import { newGateway } from '../../helpers/gateway.js';
import { packageOfEntries } from '../../helpers/large-directories.js';
import { packageOf } from '../../helpers/packages.js';
import { as, people } from '../../helpers/people.js';

// Archives with nearly as many entries as there may be, and with long names, several at once: the thread that checks all
// uploads once ran out of memory by them, and everybody's uploads failed with it.

const manyEntries = 99_000;
const atOnce = 3;
const mebi = 1024 ** 2;

t.test("one user's archives of very many entries break nobody's uploads", async (t) => {
  const { newClient } = await newGateway(t, { auth: people });
  const [eve, ada] = [newClient(as('eve', 'developer')), newClient(as('ada', 'developer'))];
  const attack = packageOfEntries(manyEntries);
  t.comment(`${Math.round(attack.length / mebi)} MiB`);
  const attacking = Promise.allSettled(
    Array.from({ length: atOnce }, () => eve.uploadPackage({ body: attack })),
  );
  // Larger than what is checked without the thread.
  const honest = packageOf({ name: 'honest' }, { 'data/random': randomBytes(3 * mebi) });
  let isOver = false;
  void attacking.finally(() => {
    isOver = true;
  });
  let uploads = 0;
  while (!isOver || uploads === 0) {
    await ada.uploadPackage({ body: honest });
    uploads++;
  }
  const outcomes = await attacking;
  const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  t.strictSame(failed, [], 'they are legal, and taken one after the other');
  t.pass(`${uploads} uploads of somebody else meanwhile`);
});
