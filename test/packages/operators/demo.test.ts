import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import {
  builtInOperators,
  Combine,
  Count,
  FileLines,
  HttpPoll,
  MergeAggregates,
  operatorReference,
  parseProperties,
} from '../../../packages/operators/built-in.js';
import { expressionFunctions } from '../../../packages/operators/expression-functions.js';
import { testFolder } from '../../helpers/folder.js';
import { untilTrue } from '../../helpers/waiting.js';
import { startPipeline } from './operator-pipeline.js';

const root = join(import.meta.dirname, '../../../..');

const Application = z.object({
  operators: z.array(
    z.object({
      name: z.string().regex(/^[^.]+$/, 'the engine splits names at dots'),
      class: z.string(),
      properties: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
  streams: z.array(
    z.object({
      source: z.object({ operatorName: z.string(), portName: z.string() }),
      sinks: z.array(z.object({ operatorName: z.string(), portName: z.string() })),
    }),
  ),
});

t.test('the demo application computes what a look at the log says', async (t) => {
  const text = readFileSync(join(root, 'packages/server/demo/access-log.json'), 'utf8');
  const application = Application.parse(JSON.parse(text));
  const path = join(testFolder(t), 'access.log');
  const operators = application.operators.map((operator) =>
    operator.name === 'lines'
      ? { ...operator, properties: { path, start: 'end', pollMillis: 10 } }
      : operator,
  );
  const pipeline = await startPipeline({ ...application, operators }, builtInOperators);
  t.teardown(() => pipeline.stop());

  const lines = Array.from({ length: 100 }, (_, index) => ({
    time: '2026-11-21T12:00:00.000Z',
    method: 'GET',
    path: index < 60 ? `/ws/v2/about?n=${index}` : index < 90 ? '/ws/v2/cluster/metrics' : '/missing',
    status: index < 90 ? 200 : 404,
    durationMillis: index + 1,
  }));
  appendFileSync(path, `${lines.map((line) => JSON.stringify(line)).join('\n')}\nnot json\n`);

  const hub = pipeline.operators.get('hub');
  const table = pipeline.operators.get('pathTable');
  table?.hear('appData.application_1_0001.pathTable.query', { id: 'q', type: 'dataQuery', countdown: 600 });
  const latest = () => hub?.published.at(-1)?.data;
  const Snapshot = z.looseObject({ requests: z.looseObject({ count: z.number() }) });
  await untilTrue(() => {
    pipeline.window();
    return Snapshot.parse(latest()).requests.count === 100;
  });
  const windows = hub?.published.length ?? 0;
  t.equal(hub?.published.at(-1)?.topic, 'demo.accessLog');
  t.match(latest(), {
    windowId: /^\d+$/,
    time: Number,
    requests: { count: 100, overflow: 0, skipped: 0 },
    statuses: { keys: { '2xx': { count: 90 }, '4xx': { count: 10 } } },
    paths: {
      top: [
        { key: '/ws/v2/about', count: 60 },
        { key: '/ws/v2/cluster/metrics', count: 30 },
        { key: '/missing', count: 10 },
      ],
      total: 100,
    },
    latency: { p50: 50, p95: 95, p99: 99, min: 1, max: 100, count: 100, exact: true },
  });
  t.match(table?.published.at(-1), {
    topic: 'appData.application_1_0001.pathTable.result.q',
    data: { data: [{ key: '/ws/v2/about', count: 60 }, { key: '/ws/v2/cluster/metrics' }, { count: 10 }] },
  });
  if (windows <= 20) {
    t.match(latest(), { requests: { perSecond: 100 / (windows * 0.5) } }, 'the rate is over the time so far');
  }
  t.match(pipeline.operators.get('rejected')?.logged, [
    { level: 'warn', message: /^not a log line: .*not json/ },
  ]);

  for (let index = 0; index < 20; index += 1) pipeline.window();
  t.match(
    latest(),
    {
      requests: { count: 0, perSecond: 0 },
      statuses: { keys: {} },
      paths: { top: [] },
      latency: { p99: null },
    },
    'ten seconds later nothing of it is left',
  );
});

t.test('every operator has what a console shows', async (t) => {
  const names = builtInOperators.map(({ className }) => className);
  t.equal(new Set(names).size, names.length, 'names are unique');
  for (const { className, title, description, tags, properties } of builtInOperators) {
    t.match(className, /^headgate\.(io|parse|transform|aggregate)\.[A-Z]/);
    t.ok(title && description && tags.length > 0, className);
    for (const [name, property] of Object.entries(properties.shape)) {
      t.ok(
        z.toJSONSchema(z.object({ it: property })).properties?.['it'],
        `${className} ${name} has a schema`,
      );
      t.match(
        JSON.stringify(z.toJSONSchema(z.object({ it: property }))),
        /"description"/,
        `${className} ${name}`,
      );
    }
  }
  const unifiers = builtInOperators.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ unifier }) => unifier ?? []),
  );
  for (const unifier of unifiers) t.ok(names.includes(unifier), unifier);
});

t.test('the page of the operators is up to date', async (t) => {
  const page = readFileSync(join(root, 'docs/operators.md'), 'utf8');
  t.ok(page.endsWith(`\n\n${operatorReference(builtInOperators)}\n`), 'npm run docs writes it anew');
  const [head = ''] = page.split('## Windows');
  for (const name of [...expressionFunctions.keys(), 'matches'])
    t.match(head, `\`${name}`, `${name} is told`);
});

t.test('properties come as values or as text', async (t) => {
  const fromText = parseProperties(FileLines, { path: '7', follow: 'false', maxLineBytes: '100' });
  t.match(fromText, { path: '7', follow: false, maxLineBytes: 100, start: 'beginning' });
  t.match(parseProperties(FileLines, { path: 'x', follow: false, maxLineBytes: 100 }), { follow: false });
  t.match(parseProperties(Combine, { names: '["a","b"]' }), { names: ['a', 'b'] });
  t.match(parseProperties(HttpPoll, { url: 'http://127.0.0.1/', headers: '{"a":"1"}' }), {
    headers: { a: '1' },
  });
  t.match(parseProperties(Count, { key: '12' }), { key: '12' }, 'an expression is text');
});

t.test('properties that are refused: all of them, by name', async (t) => {
  const values = { pth: 'x', follow: 'yes', maxLineBytes: '1e99' };
  t.throws(() => parseProperties(FileLines, values), {
    name: 'PropertiesError',
    message: /^headgate\.io\.FileLines: pth: there is no such property; it has path, follow, /,
    issues: [{ path: 'pth' }, { path: 'path' }, { path: 'follow' }, { path: 'maxLineBytes' }],
  });
  t.throws(() => parseProperties(Combine, { names: ['a', ''] }), {
    name: 'PropertiesError',
    issues: [{ path: 'names.1' }],
  });
  t.throws(() => parseProperties(MergeAggregates, { a: 1 }), {
    message: /a: there is no such property; it has none/,
  });
  t.throws(() => parseProperties(Count, JSON.parse('{"__proto__": 1}')), {
    name: 'PropertiesError',
    issues: [{ path: '__proto__' }],
  });
});
