import { runInNewContext } from 'node:vm';
import t from 'tap';
import { fillTemplate, templateIssues } from '../../../../lib/features/alert-templates/fill.js';
import { stringLiteral, textInside } from '../../../../lib/features/alert-templates/literal.js';
import type { Parameter } from '../../../../lib/features/alert-templates/schema.js';
import { shippedTemplates } from '../../../../lib/features/alert-templates/shipped.js';
import { InvalidInput } from '../../../../lib/model/errors.js';

const parameter = (variable: string, more: Partial<Parameter> = {}): Parameter => ({
  variable,
  label: variable,
  type: 'text',
  placeholder: '',
  tooltip: '',
  required: true,
  ...more,
});
const template = (script: string, ...parameters: Parameter[]) => ({ description: '', parameters, script });
const text = parameter('X');
const number = parameter('N', { type: 'number' });
const choice = parameter('C', { values: { lt: 'less than', gt: 'greater than' } });

const problems = async (script: string, ...parameters: Parameter[]) =>
  (await templateIssues(template(script, ...parameters))).map(({ path, message }) => `${path}: ${message}`);

/** What the script gives when it is run as one. */
const result = (script: string, globals: object = {}): unknown =>
  runInNewContext(script, { ...globals }, { timeout: 1000 });

const hostile = [
  `"`,
  '&quot;; hit(); &quot;',
  `'`,
  '`',
  '\\',
  '\\"',
  '"; hit(); "',
  "'; hit(); '",
  '`; hit(); `',
  '${hit()}',
  '*/ hit() /*',
  '\n hit()',
  '\u2028hit()',
  '\u2029hit()',
  '\r\nhit()',
  '{{N}}',
  '{{X}}',
  '</script><!-- import("x")',
  '--> hit()',
  'in',
  '+hit()+',
  '\u0000',
  '\ud83d',
  '😀 ünï',
  '\\u0022;hit()',
  'constructor',
  '__proto__',
  'use strict',
];

t.test('a value is a literal wherever it stands, and never code', async (t) => {
  const places: readonly [script: string, read: (value: string) => unknown][] = [
    ['{{X}}', (value) => value],
    ['"" + {{ X }} + ""', (value) => value],
    ['({ a: {{X}} }).a', (value) => value],
    ["'<{{X}}>'", (value) => `<${value.trim()}>`],
    ['"<{{X}}>"', (value) => `<${value.trim()}>`],
    ['`<{{X}}>`', (value) => `<${value.trim()}>`],
    ['`${ {{X}} }`', (value) => value],
    ['/* {{X}} */ 1', () => 1],
    ['// {{X}}\n2', () => 2],
  ];
  let hits = 0;
  const hit = () => {
    hits++;
  };
  for (const [script, read] of places) {
    t.strictSame(await problems(script, text), [], script);
    for (const value of hostile) {
      const filled = fillTemplate(template(script, text), { X: value }, 'values');
      t.equal(
        result(filled, { hit }),
        read(value),
        encodeURIComponent(`${script} with ${value.replace(/\p{Surrogate}/gu, '?')}`),
      );
      t.notMatch(filled, /import\s*\(|<!--|-->|&#?\w+;/);
    }
  }
  t.equal(hits, 0);
  t.equal(stringLiteral('a-b_c.d, e:1'), '"a-b_c.d, e:1"', 'plain text stays readable');
  t.equal(textInside('"<'), '\\u0022\\u003c');
});

t.test('numbers: from both forms, negative ones are one value', async (t) => {
  const script = '8 - {{N}} ** 2';
  for (const [value, expected] of [
    ['5', -17],
    ['-5', -17],
    [' 0.5 ', 7.75],
    ['0', 8],
  ] as const) {
    t.equal(result(fillTemplate(template(script, number), { N: value }, 'values')), expected, value);
  }
  t.equal(fillTemplate(template('a-{{N}}', number), { N: '-5' }, 'values'), 'a-(-5)');
  const most = Array.from({ length: 500 }, () => '{{N}}').join('+');
  t.equal(result(fillTemplate(template(most, number), { N: '2' }, 'values')), 1000);
  for (const value of ['1e5', '0x10', '1,5', 'Infinity', '5; hit()', '--5', '9'.repeat(16)]) {
    t.throws(
      () => fillTemplate(template(script, number), { N: value }, 'values'),
      /values\.N: is no number/,
      value,
    );
  }
  const optional = { ...number, required: false };
  t.equal(
    result(fillTemplate(template('1 > {{N}}', optional), {}, 'values')),
    false,
    'nothing is never exceeded',
  );
});

t.test('choices: the key by .key, what is shown without, and nothing else', async (t) => {
  const script = '[{{C}}, {{C.key}}].join()';
  t.equal(result(fillTemplate(template(script, choice), { C: 'lt' }, 'values')), 'less than,lt');
  for (const value of ['less than', 'constructor', '__proto__', 'toString']) {
    t.throws(
      () => fillTemplate(template(script, choice), { C: value }, 'values'),
      /values\.C: is none of lt, gt/,
    );
  }
});

t.test('what is missing, unknown or left empty', async (t) => {
  const needed = template('{{X}}', text);
  const issuesOf = (values: Record<string, string>) => {
    try {
      return fillTemplate(needed, values, 'body.values');
    } catch (error) {
      return error instanceof InvalidInput
        ? error.issues.map(({ path, message }) => `${path}: ${message}`)
        : error;
    }
  };
  t.strictSame(issuesOf({}), ['body.values.X: is missing']);
  t.strictSame(issuesOf({ X: '' }), ['body.values.X: is missing']);
  t.strictSame(issuesOf({ X: 'a', Y: 'b' }), ['body.values.Y: is no parameter; there are X']);
  t.strictSame(issuesOf({ toString: 'a', X: 'b' }), ['body.values.toString: is no parameter; there are X']);
  const withDefault = template('{{X}}', { ...text, default: 'fallback' });
  t.equal(fillTemplate(withDefault, {}, 'values'), '"fallback"');
  t.equal(fillTemplate(template('{{X}}', { ...text, required: false }), {}, 'values'), '""');
});

t.test('templates that can not be filled safely are refused, with the place', async (t) => {
  const rows: readonly [script: string, message: RegExp][] = [
    ['{{Y}}', /there is no parameter Y/],
    ['{{X.key}}', /the parameter X has no values to choose from/],
    ['1 +', /line 1, column 4: Unexpected token/],
    ['1;\n2 +* 3', /line 2, column 4: Unexpected token/],
    ['a{{X}}', /line 1, column 2: {{X}} touches a name/],
    ['{{X}}b', /line 1, column 1: {{X}} touches a name/],
    ['a.{{X}}', /line 1, column 3: Unexpected token/],
    ['a {{C.key}} {{N}}', /line 1, column 3: Unexpected token/],
    ['let {{X}} = 1', /line 1, column 5: Unexpected token/],
    ['{{X}} = 1', /line 1, column 1: Assigning to rvalue/],
    ['/{{X}}/.test("a")', /stands in a pattern: use new RegExp/],
    ['class A { #{{X}} = 1 }', /touches a name/],
    ['({ {{N}}: 1 })', /line 1, column 4: Unexpected token/],
    ['{{N}}.toFixed(1)', /Identifier directly after number/],
    ['"{{X}}', /line 1, column 1: Unterminated string/],
    ['__headgate_value_0_ + {{X}}', /may not occur/],
    ['[{{X}}'.repeat(501), /more than 500/],
    [Array.from({ length: 2_001 }, (_, i) => `a${i}`).join(), /more than 2,000 different words/],
    [
      `let ${Array.from({ length: 2_001 }, (_, i) => `\\u{${(0x4e00 + i).toString(16)}}`).join()}`,
      /more than 2,000 different words/,
    ],
    ['('.repeat(60_000), /line 1, column \d+: Not enough stack/],
  ];
  for (const [script, message] of rows) {
    t.match((await problems(script, text, number, choice)).join('\n'), message, script.slice(0, 40));
  }
  t.strictSame(await problems('1', text, text), ['body.parameters.1.variable: there is another parameter X']);
  t.strictSame(await problems('1', { ...number, default: 'x' }, { ...choice, default: 'le' }), [
    'body.parameters.0.default: is no number',
    'body.parameters.1.default: is none of lt, gt',
  ]);
});

t.test('the shipped ones say what they promise', async (t) => {
  const app = {
    id: 'a1',
    name: 'orders',
    state: 'RUNNING',
    allocatedMB: 2048,
    runningContainers: 3,
    elapsedTime: 7_200_000,
  };
  const topics = {
    'cluster.metrics': { currentMemoryAllocatedMB: 5000, cpuPercentage: 80 },
    applications: { apps: [{ ...app, id: 'a0', name: 'other' }, app] },
    'applications.a1': { latency: 700, lag: 12_000, failedContainers: 2, checkpointAge: 90_000 },
    'applications.a1.logicalOperators': {
      operators: [{ counters: {} }, { counters: { backPressuredTimeMsPerSecond: { avg: 200, max: 600 } } }],
    },
    'applications.a1.physicalOperators': { operators: [{ failureCount: 0 }, { failureCount: 2 }] },
    'applications.a1.containers': { containers: [{ state: 'ACTIVE' }, { state: 'KILLED' }] },
  };
  const quiet = { ...topics, 'applications.a1.containers': { containers: [{ state: 'ACTIVE' }] } };
  const APP_NAME = 'orders';
  const rows: readonly [name: string, values: Record<string, string>, expected: boolean, topics?: object][] =
    [
      ['Cluster Memory Usage', { MEMORY_MB: '4000' }, true],
      ['Cluster Memory Usage', { MEMORY_MB: '6000' }, false],
      ['Cluster CPU Usage', { CPU_PERCENT: '79.5' }, true],
      ['Cluster CPU Usage', { CPU_PERCENT: '90' }, false],
      ['Application Memory Usage', { APP_NAME, MEMORY_MB: '2000' }, true],
      ['Application Memory Usage', { APP_NAME: 'ord.*', MEMORY_MB: '2000' }, true],
      ['Application Memory Usage', { APP_NAME: 'order', MEMORY_MB: '2000' }, false],
      ['Application Execution Time', { APP_NAME, MINUTES: '119' }, true],
      ['Application Execution Time', { APP_NAME, MINUTES: '120' }, false],
      ['Active Containers Count', { APP_NAME, COMPARISON: 'less', COUNT: '4' }, true],
      ['Active Containers Count', { APP_NAME, COMPARISON: 'equal', COUNT: '4' }, false],
      ['Active Containers Count', { APP_NAME, COMPARISON: 'greater', COUNT: '2' }, true],
      ['Application Status', { APP_NAME, STATE: 'RUNNING' }, true],
      ['Application Status', { APP_NAME, STATE: 'ACCEPTED' }, false],
      ['Application Status', { APP_NAME, STATE: 'ENDED' }, false],
      ['Application Status', { APP_NAME: 'gone' }, true],
      ['Application Container Killed', { APP_NAME }, true],
      ['Application Container Killed', { APP_NAME }, false, quiet],
      ['Application Container Killed', { APP_NAME: 'other' }, false],
      ['Application Latency', { APP_NAME, LATENCY_MILLIS: '500' }, true],
      ['Application Latency', { APP_NAME, LATENCY_MILLIS: '700' }, false],
      ['Application Latency', { APP_NAME: 'other', LATENCY_MILLIS: '0' }, false],
      ['Application Lag', { APP_NAME, LAG_SECONDS: '11' }, true],
      ['Application Lag', { APP_NAME, LAG_SECONDS: '12' }, false],
      ['Application Lag', { APP_NAME: 'other', LAG_SECONDS: '0' }, false],
      ['Failed Containers Count', { APP_NAME }, true],
      ['Failed Containers Count', { APP_NAME, COUNT: '2' }, false],
      ['Application Back-Pressure', { APP_NAME }, true],
      ['Application Back-Pressure', { APP_NAME, PERCENT: '60' }, false],
      ['Application Back-Pressure', { APP_NAME: 'other', PERCENT: '0' }, false],
      ['Application Checkpoint Age', { APP_NAME, MINUTES: '1' }, true],
      ['Application Checkpoint Age', { APP_NAME, MINUTES: '1.5' }, false],
      ['Application Checkpoint Age', { APP_NAME: 'other', MINUTES: '0' }, false],
      ['Application Restarts', { APP_NAME, COUNT: '1' }, true],
      ['Application Restarts', { APP_NAME, COUNT: '2' }, false],
      ['Application Restarts', { APP_NAME: 'other' }, false],
    ];
  t.equal(shippedTemplates.size, 13);
  t.strictSame([...new Set(rows.map(([name]) => name))], [...shippedTemplates.keys()], 'each is tried');
  for (const [name, values, expected, given = topics] of rows) {
    const content = shippedTemplates.get(name);
    if (!content) throw new Error(name);
    t.strictSame(await templateIssues(content), [], name);
    const script = fillTemplate(content, values, 'values');
    t.notMatch(script, '\n', 'a condition is one line');
    t.equal(result(script, { _topic: given }), expected, `${name} ${JSON.stringify(values)}`);
  }
});
