import t from 'tap';
import { nearestName } from '../../../lib/runtime/nearest-name.js';

const known = ['origins', 'auth', 'authorize', 'cluster', 'clock', 'mail', 'mailer', 'idleMillis', 'max'];

t.test('the name that was probably meant', async (t) => {
  const rows: readonly [written: string, meant: string | undefined][] = [
    ['orgins', 'origins'],
    ['Origins', 'origins'],
    ['orgiins', 'origins'],
    ['oirgins', 'origins'],
    ['authentication', 'auth'],
    ['authorise', 'authorize'],
    ['clocks', 'clock'],
    ['mial', 'mail'],
    ['mailers', 'mailer'],
    ['idleMilis', 'idleMillis'],
    ['idlemillis', 'idleMillis'],
    ['min', undefined],
    ['x', undefined],
    ['', undefined],
    ['password', undefined],
    ['constructor', undefined],
  ];
  for (const [written, meant] of rows) t.equal(nearestName(written, known), meant, `"${written}"`);
});
