import t from 'tap';
import {
  bodyOf,
  conflictOf,
  fieldsOf,
  isSame,
  missingIn,
  noFields,
} from '../../../packages/console/src/features/alerts/alert-fields.js';
import { completionsAt } from '../../../packages/console/src/features/alerts/completion.js';
import { activationsOf, inOrder, troubleOf } from '../../../packages/console/src/features/alerts/rows.js';
import {
  readEditSearch,
  readHistorySearch,
  readTemplatesSearch,
} from '../../../packages/console/src/features/alerts/searches.js';
import { type Activation, stripOf } from '../../../packages/console/src/features/alerts/strip.js';
import {
  firstValues,
  givenValues,
  type Parameter,
  problemsOf,
} from '../../../packages/console/src/features/alerts/template-values.js';
import {
  daysOf,
  type Entry,
  entriesOf,
  shownEntries,
} from '../../../packages/console/src/features/alerts/timeline.js';
import { brief, stepsOf } from '../../../packages/console/src/features/alerts/topic-values.js';

const data = {
  'cluster.metrics': { cpuPercentage: 3.5, 'odd name': 1, deep: { a: null } },
  applications: { apps: [{ id: 'app_1', name: 'one' }] },
  "it's": 7,
};

/** `|` is the cursor. */
function completed(text: string): string | undefined {
  const [before = '', after = ''] = text.split('|');
  const found = completionsAt(before, after, data);
  return found?.options
    .map(({ apply, detail }) => `${before.slice(0, found.from)}${apply}${after}  ${detail}`)
    .join('\n');
}

t.test('what a condition may go on with', async (t) => {
  const cases: readonly [text: string, options: readonly string[] | undefined][] = [
    [
      "_topic['cl|",
      ["_topic['cluster.metrics']  {3 fields}", "_topic['applications']  {1 field}", "_topic['it\\'s']  7"],
    ],
    [
      '_topic["|"] > 1',
      [
        '_topic["cluster.metrics"] > 1  {3 fields}',
        '_topic["applications"] > 1  {1 field}',
        '_topic["it\'s"] > 1  7',
      ],
    ],
    [
      '_topic[|]',
      ["_topic['cluster.metrics']  {3 fields}", "_topic['applications']  {1 field}", "_topic['it\\'s']  7"],
    ],
    ['a && _topic.app|', ['a && _topic.applications  {1 field}']],
    [
      "_topic['cluster.metrics'].|",
      ["_topic['cluster.metrics'].cpuPercentage  3.5", "_topic['cluster.metrics'].deep  {1 field}"],
    ],
    ["_topic['cluster.metrics']?.deep?.|", ["_topic['cluster.metrics']?.deep?.a  null"]],
    [
      '_topic.applications.apps[0].na|',
      ['_topic.applications.apps[0].id  "app_1"', '_topic.applications.apps[0].name  "one"'],
    ],
    ['_topic.nothing.|', []],
    ['1 + _to|', ['1 + _topic  {3 fields}']],
    ['my_topic.|', undefined],
    ["x['|", undefined],
    ["_topic['applications'] > |", undefined],
    ['|', undefined],
  ];
  for (const [text, options] of cases) t.equal(completed(text), options?.join('\n'), text);
  t.match(completed('_topic.applications.apps.|'), /apps\.length {2}1\n.*apps\.some\( {2}\[1 item\]/);
});

t.test('names in a path, and values in a few characters', async (t) => {
  t.strictSame(stepsOf(`.a?.b["c d"][3]?.['e']`), ['a', 'b', 'c d', '3', 'e']);
  t.equal(brief('x'.repeat(500)).length, 60, 'a long text is cut');
});

t.test('activations as parts of a strip', async (t) => {
  const cases: readonly [what: string, Activation[], pieces: readonly [number, number][], count: number][] = [
    ['nothing', [], [], 0],
    ['inside', [{ inTime: 100, outTime: 200 }], [[100, 100]], 1],
    ['still active', [{ inTime: 900 }], [[900, 100]], 1],
    ['begun before', [{ inTime: -50, outTime: 100 }], [[0, 100]], 1],
    ['over before', [{ inTime: -50, outTime: -10 }], [], 0],
    ['not yet', [{ inTime: 1001, outTime: 1002 }], [], 0],
    ['a moment is seen', [{ inTime: 1000, outTime: 1000 }], [[994, 6]], 1],
    [
      'two that touch are one part',
      [
        { inTime: 200, outTime: 300 },
        { inTime: 100, outTime: 200 },
      ],
      [[100, 200]],
      2,
    ],
  ];
  for (const [what, activations, pieces, count] of cases) {
    const strip = stripOf(activations, 0, 1000);
    t.strictSame([strip.pieces.map(({ from, width }) => [from, width]), strip.count], [pieces, count], what);
  }
  t.strictSame(stripOf([{ inTime: 5 }], 5, 5), { pieces: [], count: 0 }, 'no time at all');
});

const alert = (name: string, inTime?: number, disabled = false) => ({
  name,
  disabled,
  owner: 'ana',
  description: 'said',
  alertStatus: {
    isInAlert: inTime !== undefined,
    emailSent: true,
    message: 'said',
    ...(inTime === undefined ? {} : { inTime }),
  },
});
const over = (name: string, inTime: number, outTime: number, message = '') => ({
  name,
  owner: 'ana',
  inTime,
  outTime,
  message,
  emailSent: false,
});

t.test('the list: active first, the latest on top, disabled last', async (t) => {
  const rows = [alert('z', undefined, true), alert('b10'), alert('b9'), alert('old', 5), alert('new', 7)];
  t.strictSame(
    inOrder(rows).map(({ name }) => name),
    ['new', 'old', 'b9', 'b10', 'z'],
  );
  t.equal(troubleOf(alert('a')), undefined, 'the message is the description');
  t.equal(troubleOf({ ...alert('a'), alertStatus: { isInAlert: false, message: 'TypeError' } }), 'TypeError');
  const found = activationsOf([alert('a', 9), alert('b')], [over('a', 1, 2), over('gone', 1, 2)]);
  t.strictSame(
    [...found],
    [
      ['a', [{ inTime: 1, outTime: 2 }, { inTime: 9 }]],
      ['b', []],
    ],
  );
});

t.test('the history as a timeline', async (t) => {
  const hour = 3_600_000;
  const now = 30 * hour;
  const all = entriesOf(
    [alert('Now', now - 1000), alert('quiet')],
    [over('Late', now - 2 * hour, now - hour / 2, 'Lag'), over('Early', hour, 2 * hour)],
  );
  const names = (entries: readonly Entry[]) => entries.map(({ name }) => name);
  t.strictSame(names(all), ['Now', 'Late', 'Early']);
  t.strictSame(names(shownEntries(all, { period: 'hour' }, now)), ['Now', 'Late'], 'what reaches into it');
  t.strictSame(names(shownEntries(all, { period: 'week' }, now)), ['Now', 'Late', 'Early']);
  t.strictSame(names(shownEntries(all, { q: ' LAG ' }, now)), ['Late'], 'by its message');
  t.strictSame(
    daysOf(all, (at) => new Date(at).toISOString().slice(0, 10)).map(({ date, entries }) => [
      date,
      names(entries),
    ]),
    [
      ['1970-01-02', ['Now', 'Late']],
      ['1970-01-01', ['Early']],
    ],
  );
});

t.test('the gaps of a template', async (t) => {
  const gap = { placeholder: '', tooltip: '', label: '' };
  const parameters: readonly Parameter[] = [
    { ...gap, variable: 'APP', type: 'text', required: true },
    { ...gap, variable: 'MILLIS', type: 'number', required: false, default: '25' },
  ];
  t.strictSame(firstValues(parameters), { APP: '', MILLIS: '25' });
  const cases: readonly [values: Record<string, string>, problems: readonly string[], given: object][] = [
    [{ APP: '', MILLIS: '25' }, ['APP'], { MILLIS: '25' }],
    [{ APP: ' a ', MILLIS: '' }, [], { APP: ' a ' }],
    [{ APP: 'a', MILLIS: 'x' }, ['MILLIS'], { APP: 'a', MILLIS: 'x' }],
    [{ APP: 'a', MILLIS: '-1.5', MORE: 'x' }, [], { APP: 'a', MILLIS: '-1.5' }],
    [{}, ['APP'], {}],
  ];
  for (const [values, problems, given] of cases) {
    t.strictSame(Object.keys(problemsOf(parameters, values)), problems, JSON.stringify(values));
    t.strictSame(givenValues(parameters, values), given);
  }
});

t.test('an alert as it is typed, and what has become of it meanwhile', async (t) => {
  const kept = {
    name: 'a',
    condition: 'true',
    email: 'a@example.org',
    description: '',
    timeThresholdMillis: 1500,
    disabled: false,
  };
  const fields = fieldsOf(kept);
  t.equal(fields.thresholdSeconds, 1.5);
  t.strictSame(bodyOf(fields), kept);
  t.equal(isSame(fields, { ...fields, disabled: true }), false);
  t.equal(conflictOf(fields, kept), undefined);
  t.equal(conflictOf(fields, { ...kept, condition: 'false' }), 'changed');
  t.equal(conflictOf(fields, undefined), 'deleted');
  t.equal(conflictOf(noFields, kept), 'taken');
  t.equal(conflictOf(noFields, undefined), undefined);
  t.equal(missingIn(noFields), 'name');
  t.equal(missingIn({ ...fields, condition: ' ' }), 'condition');
  t.equal(missingIn({ ...fields, email: '' }), 'email');
  t.equal(missingIn(fields), undefined);
});

t.test('what an address says, and what does not fit is left out', async (t) => {
  t.strictSame(readEditSearch({ name: 12, template: '', more: 1 }), { name: '12' });
  t.strictSame(readHistorySearch({ q: 'x', period: 'year' }), { q: 'x' });
  t.strictSame(readHistorySearch({ period: 'day', q: {} }), { period: 'day' });
  t.strictSame(readTemplatesSearch({ new: true, edit: 'a/b%' }), { edit: 'a/b%', new: true });
  t.strictSame(readTemplatesSearch({ new: 'yes' }), {});
});
