import t from 'tap';
import { AuthConfiguration } from '../../../lib/model/auth-configuration.js';
import {
  authTypes,
  configurationOf,
  fieldsOf,
  valuesOf,
} from '../../../packages/console/src/features/configuration/auth-fields.js';
import {
  propertyRows,
  readPropertySearch,
  shownProperties,
} from '../../../packages/console/src/features/configuration/property-rows.js';

t.test('each mechanism has a field for each key that the gateway takes, and no other', async (t) => {
  t.strictSame([...authTypes].sort(), AuthConfiguration.options.map(({ shape }) => shape.type.value).sort());
  for (const { shape } of AuthConfiguration.options) {
    const keys = Object.keys(shape).filter((key) => key !== 'type');
    const type = shape.type.value;
    t.strictSame(
      fieldsOf(type)
        .map(({ key }) => key)
        .sort(),
      keys.sort(),
      type,
    );
  }
});

t.test('settings are read in any case and sent without what says nothing', async (t) => {
  const values = valuesOf('ldap', { SERVER: 'a', port: 389, groupsupport: 'TRUE', startTls: false });
  t.match(values, { server: 'a', Port: '389', groupSupport: true, startTls: false, bindPassword: '' });
  t.strictSame(configurationOf('ldap', values), { server: 'a', Port: '389', groupSupport: true });
  t.strictSame(configurationOf('password', { server: 'a' }), {}, 'nothing of another mechanism');
});

t.test('properties that are set, and those that could be', async (t) => {
  const known = (name: string, more: object = {}) => ({
    name,
    meaning: `what ${name} is for`,
    inForce: 'at once' as const,
    isSecret: false,
    isLocal: false,
    isWaiting: false,
    ...more,
  });
  const rows = propertyRows(
    {
      'b.own': { value: '1', description: '', scope: 'GLOBAL' },
      'a.known': { value: '2', description: 'mine', scope: 'LOCAL' },
    },
    [
      known('a.known', { default: '7', inForce: 'restart' }),
      known('c.unset'),
      known('d.gone', { isWaiting: true }),
    ],
  );
  t.strictSame(
    rows.map(({ name, value, description, defaultValue }) => [name, value, description, defaultValue]),
    [
      ['a.known', '2', 'mine', '7'],
      ['b.own', '1', '', undefined],
      ['c.unset', undefined, 'what c.unset is for', undefined],
      ['d.gone', undefined, 'what d.gone is for', undefined],
    ],
  );
  const names = (search: object) => shownProperties(rows, search).map(({ name }) => name);
  t.strictSame(names({}), ['a.known', 'b.own', 'd.gone'], 'what waits shows, though it is not set any more');
  t.strictSame(names({ unset: true }), ['a.known', 'b.own', 'c.unset', 'd.gone']);
  t.strictSame(names({ q: 'MINE known' }), ['a.known']);
  t.strictSame(readPropertySearch({ q: 12, unset: 'yes' }), { q: '12' });
});
