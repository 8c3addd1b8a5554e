import t from 'tap';
import { gatewayWithAccounts, refuses } from '../../../helpers/accounts.js';

// Templates of alerts: those in the box, and what administrators make of them.

const body = {
  description: 'Too much of something',
  parameters: [{ variable: 'LIMIT', label: 'Limit', type: 'number' as const, required: 'true' as const }],
  script: "_topic['cluster.metrics'].numContainers > {{LIMIT}}",
};

t.test('those in the box are listed first; more behind them by name', async (t) => {
  const { admin } = await gatewayWithAccounts(t);
  const names = async () => (await admin.listAlertTemplates()).templates.map(({ name }) => name);
  const shipped = await names();
  t.equal(shipped.length, 13);
  t.equal(shipped[0], 'Cluster Memory Usage');
  for (const name of ['zebra', 'cpu > 90% / a?#', 'Ünï'])
    await admin.putAlertTemplate({ params: { name }, body });
  t.strictSame(await names(), [...shipped, 'cpu > 90% / a?#', 'zebra', 'Ünï']);
  t.strictSame(await admin.getAlertTemplate({ params: { name: 'cpu > 90% / a?#' } }), {
    name: 'cpu > 90% / a?#',
    isSystemTemplate: true,
    description: body.description,
    parameters: [
      { variable: 'LIMIT', label: 'Limit', type: 'number', placeholder: '', tooltip: '', required: true },
    ],
    script: body.script,
  });
});

t.test('shipped ones can be replaced and deleted like others', async (t) => {
  const { admin } = await gatewayWithAccounts(t);
  const params = { name: 'Cluster CPU Usage' };
  const read = () => admin.getAlertTemplate({ params });
  await admin.putAlertTemplate({ params, body });
  t.match(await read(), { script: body.script });
  await admin.deleteAlertTemplate({ params });
  await refuses(t, read(), { status: 404 });
  await refuses(t, admin.deleteAlertTemplate({ params }), { status: 404 });
  t.equal((await admin.listAlertTemplates()).templates.length, 12);
  await admin.putAlertTemplate({ params, body });
  t.match(await read(), { script: body.script });
  await refuses(t, admin.deleteAlertTemplate({ params: { name: 'none' } }), { status: 404 });
});

t.test('what can not be filled is refused with its place', async (t) => {
  const { admin } = await gatewayWithAccounts(t);
  const params = { name: 'bad' };
  await refuses(t, admin.putAlertTemplate({ params, body: { ...body, script: '1 +\n{{LIMIT}} *' } }), {
    status: 400,
    message: /body\.script: line 2, column 12: Unexpected token/,
  });
  await refuses(t, admin.putAlertTemplate({ params, body: { ...body, script: '{{OTHER}}' } }), {
    status: 400,
    message: /there is no parameter OTHER/,
  });
  await refuses(t, admin.putAlertTemplate({ params, body: { ...body, script: '' } }), { status: 400 });
  await refuses(t, admin.getAlertTemplate({ params }), { status: 404 });
});

t.test('everybody who sees alerts reads them; only administrators change them', async (t) => {
  const { user } = await gatewayWithAccounts(t);
  const operator = await user('oz', 'operator');
  t.equal((await operator.listAlertTemplates()).templates.length, 13);
  await refuses(t, operator.putAlertTemplate({ params: { name: 'a' }, body }), { status: 403 });
  await refuses(t, operator.deleteAlertTemplate({ params: { name: 'Cluster CPU Usage' } }), { status: 403 });
  const nobody = await user('nix');
  await refuses(t, nobody.listAlertTemplates(), { status: 403 });
});
