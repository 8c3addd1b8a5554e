import t from 'tap';
import { ServiceInput } from '../../../lib/features/services/schema.js';
import {
  emptyForm,
  formOf,
  inputOf,
  linesOf,
  problemsOf,
  type ReadService,
  valuesOfLines,
} from '../../../packages/console/src/features/services/form-values.js';

const container: ReadService = {
  name: 'search',
  type: 'container',
  enabled: true,
  description: 'finds',
  requiredServices: ['store'],
  metadata: { port: '8080', query: 'a=b' },
  proxy: { address: '${port}', followRedirect: false, requestHeaders: { 'x-key': '********' } },
  container: { run: 'nginx', exec: 'warm up' },
};
const engine: ReadService = {
  name: 'counter',
  type: 'engine',
  enabled: false,
  srcUrl: 'file:///opt/counter.apa',
  requiredServices: [],
  metadata: {},
  engine: { appName: 'Counter', launchArgs: { 'a.b': 'c' } },
};

t.test('what is read goes back as it was, with what the form does not show', async (t) => {
  for (const service of [container, engine]) {
    const { name: _, ...sent } = service;
    const input = inputOf(formOf(service), service);
    t.strictSame(input, sent, service.name);
    t.ok(ServiceInput.safeParse(input).success, `the gateway takes ${service.name}`);
  }
});

t.test('lines of name=value', async (t) => {
  t.strictSame(valuesOfLines('a=1\n\n b = x=y '), { values: { a: '1', b: 'x=y' } });
  t.equal(valuesOfLines('a=1\nnothing').problem, 'Line 2 is not name=value');
  t.equal(valuesOfLines('=1').problem, 'Line 1 is not name=value');
  t.equal(linesOf({ a: '1', b: 'x=y' }), 'a=1\nb=x=y');
});

t.test('what keeps a form from being sent, by kind', async (t) => {
  t.strictSame(Object.keys(problemsOf(emptyForm)), ['name', 'run']);
  t.strictSame(Object.keys(problemsOf({ ...emptyForm, type: 'engine' })), ['name', 'srcUrl', 'appName']);
  t.strictSame(
    problemsOf({ ...emptyForm, name: 'a', run: 'b', launchArgs: 'x' }),
    {},
    'a field of another kind',
  );
  t.match(problemsOf({ ...emptyForm, name: 'a', run: 'b', metadata: 'x' }), { metadata: /Line 1/ });
});
