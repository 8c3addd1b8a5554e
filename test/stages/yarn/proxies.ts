import type { Test } from 'tap';
import { z } from 'zod';
import { as } from '../../helpers/people.js';
import type { YarnSession } from './session.js';

// What the proxies show of the real servers behind them, to whoever may look.

const { headers } = as('root', 'admin');
const Loggers = z.object({ loggers: z.array(z.object({ target: z.string() })) });
const Info = z.object({ appMasterTrackingUrl: z.string() });
const NewApplication = z.object({ 'application-id': z.string() });

/** Asks through the gateway. */
const asks =
  ({ address }: YarnSession) =>
  (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
    fetch(`http://${address}/proxy/${path}`, {
      ...init,
      headers: { accept: 'application/json', ...headers, ...init.headers },
    });

const posted = (body: string) => ({ method: 'POST', body, headers: { 'content-type': 'application/json' } });

export async function managerThroughProxy(t: Test, session: YarnSession, appid: string): Promise<void> {
  const ask = asks(session);
  const one = await ask(`rm/v1/cluster/apps/${appid}`);
  t.match(await one.json(), { app: { id: appid, state: 'RUNNING', applicationType: 'ApacheApex' } });
  t.match(Object.fromEntries(one.headers), {
    'content-type': /^application\/json/,
    'content-security-policy': "default-src 'none'; sandbox",
    'set-cookie': undefined,
  });
  t.match(await (await ask('rm/v1/cluster/apps?states=FAILED')).json(), { apps: null });
  const xml = await ask('rm/v1/cluster/info', { headers: { accept: 'application/xml' } });
  t.match(await xml.text(), /<clusterInfo>.*<haState>/s);
  t.equal((await ask('rm/v1/cluster/apps/application_1_0001')).status, 404, 'its own errors are passed on');

  // An id that nobody uses then.
  const given = NewApplication.parse(
    await (await ask('rm/v1/cluster/apps/new-application?user.name=nobody', posted(''))).json(),
  );
  t.match(given['application-id'], /^application_\d+_\d{4}$/);
  const put = await ask(`rm/v1/cluster/apps/${appid}/state`, { method: 'PUT', body: '{"state":"KILLED"}' });
  t.equal(put.status, 405);
}

export async function masterThroughProxy(
  t: Test,
  session: YarnSession,
  { appid, password }: { readonly appid: string; readonly password: string },
): Promise<void> {
  const ask = asks(session);
  const told: string[] = [];
  for (const rest of ['info', 'logicalPlan', 'logicalPlan/attributes', 'physicalPlan/operators']) {
    const answer = await ask(`master/v2/${appid}/${rest}`);
    t.equal(answer.status, 200, rest);
    told.push(await answer.text());
  }
  const [info = '', , attributes = '', operators = ''] = told;
  t.match(JSON.parse(info), { id: appid, appPath: /^hdfs:/ });
  t.match(JSON.parse(attributes), { GATEWAY_USER_NAME: /./, GATEWAY_PASSWORD: null });
  t.notOk(told.join().includes(password), 'what it tells in the open stays here');
  t.match(operators, /"currentWindowId":"7\d{18}"/, 'numbers of 64 bit as they came');

  const loggers = `master/v2/applications/${appid}/loggers`;
  const target = 'org.example.proxied.*';
  const set = await ask(loggers, posted(JSON.stringify({ loggers: [{ target, logLevel: 'WARN' }] })));
  t.equal(set.status, 200);
  const known = Loggers.parse(await (await ask(loggers)).json());
  t.ok(known.loggers.some((one) => one.target === target));
  const unknown = `master/v2/${appid}/logicalPlan/operators/nobody/properties`;
  t.equal((await ask(unknown)).status, 404, 'its own errors are passed on');
  const put = { ...posted('{}'), method: 'PUT' };
  const { appMasterTrackingUrl } = Info.parse(JSON.parse(info));
  const direct = await fetch(`http://${appMasterTrackingUrl}/ws/v2/stram/loggers`, put);
  t.equal((await ask(loggers, put)).status, direct.status, 'what it does not know it refuses itself');
}

/** Nobody is there any more. */
export async function endedThroughProxy(t: Test, session: YarnSession, appid: string): Promise<void> {
  const answer = await asks(session)(`master/v2/${appid}/info`);
  t.match([answer.status, await answer.json()], [503, { code: 'NOT_READY' }]);
}
