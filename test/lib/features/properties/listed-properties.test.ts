import t from 'tap';
import type { SetProperty } from '../../../../lib/features/properties/layers.js';
import {
  isChange,
  listedProperties,
  listedProperty,
} from '../../../../lib/features/properties/listed-property.js';

// What is said of a property, and what counts as a change of it.

const set = (property: Partial<SetProperty> = {}): SetProperty => ({
  scope: 'GLOBAL',
  value: '1',
  isFinal: false,
  ...property,
});
const said = (
  byName: Readonly<Record<string, SetProperty>>,
  fixed: Readonly<Record<string, string>> = {},
) => ({
  fixed,
  byName: new Map(Object.entries(byName)),
});

t.test('who says something of a property', async (t) => {
  const { value: _, ...unreadable } = set();
  const rows = [
    ['nobody', 'a', said({}), undefined],
    ['nobody, though every object has one', 'toString', said({}), undefined],
    ['a file', 'a', said({ a: set() }), { value: '1', description: '', scope: 'GLOBAL' }],
    [
      'a file, with a description',
      'a',
      said({ a: set({ description: 'text', scope: 'LOCAL' }) }),
      { value: '1', description: 'text', scope: 'LOCAL' },
    ],
    [
      'the host, over a file',
      'a',
      said({ a: set() }, { a: '2' }),
      { value: '2', description: '', scope: 'TRANSIENT' },
    ],
    ['a file, a secret', 'my.password', said({ 'my.password': set() }), { value: '********' }],
    ['a file, sealed with another key', 'a', said({ a: unreadable }), { value: '********' }],
    ['a default that is shown', 'platform.phoneHome.enable', said({}), { value: 'true', scope: 'TRANSIENT' }],
    [
      'a file, over a default that is shown',
      'platform.phoneHome.enable',
      said({ 'platform.phoneHome.enable': set({ value: 'false' }) }),
      { value: 'false', scope: 'TRANSIENT' },
    ],
  ] as const;
  for (const [who, name, from, expected] of rows) {
    const listed = listedProperty(name, from);
    if (expected) t.match(listed, expected, who);
    else t.equal(listed, undefined, who);
  }
});

t.test('the list is sorted, and names nothing of which nobody says anything', async (t) => {
  const list = listedProperties(said({ z: set(), b: set() }, { a: '2' }));
  t.strictSame(
    Object.keys(list).filter((name) => !name.startsWith('platform.')),
    ['a', 'b', 'z'],
  );
  t.notOk(Object.hasOwn(list, 'platform.gateway.importDirectory'), 'known, and not set');
});

t.test('what is sent as it was read is no change', async (t) => {
  const listed = { value: '1', description: 'text', scope: 'LOCAL' } as const;
  const rows = [
    ['nothing is there', { value: '1' }, undefined, true],
    ['the same value', { value: '1' }, listed, false],
    ['another value', { value: '2' }, listed, true],
    ['all as it was read', listed, listed, false],
    ['another description', { value: '1', description: 'other' }, listed, true],
    ['another scope', { value: '1', scope: 'GLOBAL' }, listed, true],
    ['the same scope by its other name', { value: '1', local: true }, listed, false],
    ['another scope by its other name', { value: '1', local: false }, listed, true],
  ] as const;
  for (const [what, sent, present, expected] of rows) t.equal(isChange(sent, present), expected, what);
});
