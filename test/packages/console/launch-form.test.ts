import t from 'tap';
import { ClientError } from '../../../lib/client.js';
import {
  furtherIn,
  launchBody,
  launchForm,
  missingIn,
} from '../../../packages/console/src/features/launch/launch-form.js';
import { shownRows } from '../../../packages/console/src/features/packages/rows.js';
import { readListSearch, readPackageSearch } from '../../../packages/console/src/features/packages/search.js';
import {
  afterProgress,
  percentOf,
  type Upload,
} from '../../../packages/console/src/features/packages/upload-states.js';
import { ExactNumber } from '../../../packages/console/src/format/exact-json.js';
import { setOf } from '../../../packages/console/src/forms/launch-properties.js';
import { errorsIn } from '../../../packages/console/src/forms/refusals.js';

const app = {
  requiredProperties: { 'platform.operator.lines.prop.path': { value: null, description: 'The file' } },
  defaultProperties: {
    'platform.operator.hub.prop.topic': { value: 'demo', description: null },
    'dt.attr.SIZE': { value: '5', description: 'Of a window' },
  },
  fileContent: {
    operators: [
      { name: 'lines', class: 'x.Lines', properties: { limit: 9 } },
      { name: 'hub', class: 'x.Hub' },
    ],
  },
};
const classes = [
  {
    name: 'x.Lines',
    properties: [
      { name: 'path', type: 'string', canSet: true, description: 'of the class' },
      { name: 'limit', type: 'integer', canSet: true },
      { name: 'seen', type: 'integer', canSet: false },
    ],
    defaultValue: { limit: 1 },
  },
  {
    name: 'x.Hub',
    properties: [
      { name: 'topic', type: 'string' },
      { name: 'keep', type: 'boolean' },
    ],
    defaultValue: { keep: true },
  },
];

t.test('what must be given comes first, then what the package sets, then what its operators have', (t) => {
  const form = launchForm(app, classes);
  t.match(form.required, [
    { name: 'platform.operator.lines.prop.path', type: 'string', description: 'The file' },
  ]);
  t.strictSame(
    form.others.map(({ name, type }) => [name, type]),
    [
      ['platform.operator.hub.prop.topic', 'string'],
      ['dt.attr.SIZE', 'any'],
      ['apex.operator.lines.prop.limit', 'integer'],
      ['apex.operator.hub.prop.keep', 'boolean'],
    ],
  );
  t.strictSame(form.defaults, {
    'apex.operator.lines.prop.limit': 9,
    'apex.operator.hub.prop.keep': true,
    'platform.operator.hub.prop.topic': 'demo',
    'dt.attr.SIZE': '5',
  });
  t.strictSame(missingIn(form, {}), ['platform.operator.lines.prop.path']);
  t.strictSame(missingIn(form, { 'platform.operator.lines.prop.path': '' }), [
    'platform.operator.lines.prop.path',
  ]);
  t.strictSame(missingIn(form, { 'platform.operator.lines.prop.path': 'a' }), []);
  const plain = launchForm({ requiredProperties: ['a'], defaultProperties: { b: '1' } }, []);
  t.match(plain, { required: [{ name: 'a', type: 'any' }], others: [{ name: 'b' }], defaults: { b: '1' } });
  t.end();
});

t.test('the body has what was typed', (t) => {
  t.strictSame(
    launchBody({
      a: 'x',
      b: 1,
      c: true,
      d: undefined,
      e: ['p'],
      f: { g: 1 },
      h: new ExactNumber('73314510714175488'),
    }),
    {
      a: 'x',
      b: 1,
      c: true,
      e: '["p"]',
      f: '{"g":1}',
      h: '73314510714175488',
    },
  );
  const error = new ClientError(400, 'REQUIRED_PROPERTY_MISSING', 'no', {
    details: [{ path: 'body.a.b', message: 'is required' }, { path: 'query.queue', message: 'no' }, 7],
  });
  t.strictSame(errorsIn(error), { 'a.b': 'is required' });
  t.strictSame(errorsIn(new Error('x')), {});
  t.end();
});

t.test('the list: newest versions first, filtered by all that identifies', (t) => {
  const row = (appPackageName: string, appPackageVersion: string, owner = 'ann') => ({
    owner,
    appPackageName,
    appPackageVersion,
    modificationTime: 1,
  });
  const rows = [row('b', '1.2.0'), row('b', '1.10.0'), row('a', '1', 'bob')];
  t.strictSame(
    shownRows(rows).map((one) => one.appPackageVersion),
    ['1', '1.10.0', '1.2.0'],
  );
  t.strictSame(shownRows(rows, ' BOB').length, 1);
  t.strictSame(readListSearch({ q: 5, show: 'all', x: 1 }), { q: '5' });
  t.strictSame(readListSearch({ q: '', show: 'configurations' }), { show: 'configurations' });
  t.strictSame(readPackageSearch({ part: 'contents', open: 'a' }), { open: 'a' });
  t.strictSame(readPackageSearch({ part: 'operators', q: 'x' }), { part: 'operators', q: 'x' });
  t.end();
});

t.test('an upload is sent, then checked; one that has ended stays as it is', (t) => {
  const upload = (state: Upload['state']): Upload => ({
    id: 1,
    file: new File(['abc'], 'a.apa'),
    sent: 0,
    total: 3,
    state,
  });
  const after = (state: Upload['state'], sent: number) => afterProgress([upload(state)], 1, sent, 200)[0];
  t.match(after('sending', 99), { state: 'sending', sent: 99, total: 200 });
  t.match(after('sending', 200), { state: 'checking' });
  t.match(after('failed', 200), { state: 'failed', sent: 0 });
  t.equal(percentOf({ ...upload('sending'), sent: 1 }), 33);
  t.equal(percentOf({ ...upload('sending'), total: 0 }), 100);
  t.end();
});

t.test('what the properties of a package set of an operator', async (t) => {
  const set = {
    'platform.operator.alarms.prop.high': '31',
    'dt.application.one.operator.alarms.prop.low': { value: '9', description: null },
    'apex.operator.*.prop.debug': 'true',
    'platform.operator.archive.prop.directory': 'x',
    'dt.attr.SIZE': '5',
  };
  t.strictSame(setOf('alarms', set), ['high = 31', 'low = 9', 'debug = true']);
  t.strictSame(setOf('hub', {}), []);
  t.strictSame(setOf('hub', undefined), []);
});

t.test(
  'what nobody but the cluster may know stands apart from what the package and its operators know',
  (t) => {
    const form = launchForm(app, classes);
    const edits = { 'platform.operator.hub.prop.topic': 'other', 'options.of.the.cluster': 'on' };
    t.strictSame(furtherIn(form, edits), ['options.of.the.cluster']);
    t.end();
  },
);
