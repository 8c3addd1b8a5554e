import t from 'tap';
import { z } from 'zod';
import type { Client } from '../../../../lib/client.js';
import { engineGateway, untilItRuns, untilState, words } from '../../../helpers/applications.js';
import { as } from '../../../helpers/people.js';
import { until } from '../../../helpers/waiting.js';

// Levels that change while containers write: seen in their log files, through the API.

const talker = (name: string) => ({ name, class: 'test.Talker' });
const link = (operatorName: string) => ({ operatorName, portName: 'in' });

/** What the operators of one container said, in order: `debug` or `info`. */
async function saidBy(client: Client, appid: string, containerId: string): Promise<string[]> {
  const answer = await client.readLog({
    params: { appid, containerId, logName: 'headgate.log' },
    query: { includeOffset: true, grep: 'test\\.Talker - ' },
  });
  const { lines } = z.object({ lines: z.array(z.object({ line: z.string() })) }).parse(answer);
  return lines.map(({ line }) => / - (\w+) words$/.exec(line)?.[1] ?? line);
}

t.test(
  'a level holds in every container at once, in those that start later too, until it is set otherwise',
  async (t) => {
    const operators = [new URL('../../../fixtures/local-operators.js', import.meta.url)];
    const { gateway, newClient } = await engineGateway(t, { operators });
    const client = newClient(as('ada', 'developer'));
    const appid = await gateway.launch({
      user: 'ada',
      name: 'talk',
      application: {
        attributes: { STREAMING_WINDOW_SIZE_MILLIS: 100, HEARTBEAT_INTERVAL_MILLIS: 200 },
        operators: [
          { name: 'source', class: 'test.Sequence', properties: { total: -1, perSecond: 100 } },
          talker('one'),
          talker('two'),
        ],
        streams: [{ source: { operatorName: 'source', portName: 'out' }, sinks: [link('one'), link('two')] }],
      },
    });
    const params = { appid };
    await untilItRuns(client, appid);
    const containers = async () => {
      const { operators: found } = await client.listPhysicalOperators({ params });
      return found
        .filter(({ className }) => className === 'test.Talker')
        .map(({ container }) => container ?? '');
    };
    const allSaid = async () =>
      Promise.all((await containers()).map((containerId) => saidBy(client, appid, containerId)));
    const set = (logLevel: 'DEBUG' | 'INFO' | 'ERROR', target = 'test.*') =>
      client.setLoggers({ params, body: { loggers: [{ target, logLevel }] } });

    const quiet = await until(allSaid, (all) => all.every((said) => said.length > 3));
    t.equal(quiet.length, 2, 'each in a container of its own');
    t.ok(
      quiet.flat().every((word) => word === 'info'),
      'the level is INFO by itself',
    );

    await set('DEBUG');
    await until(allSaid, (all) => all.every((said) => said.filter((word) => word === 'debug').length > 3));

    await set('INFO');
    const after = await until(allSaid, (all) =>
      all.every((said) => said.length - 1 - said.lastIndexOf('debug') > 5),
    );
    t.ok(
      after.every((said) => said.slice(-5).every((word) => word === 'info')),
      'DEBUG lines are gone again',
    );

    await set('DEBUG', 'test.Talker');
    const [first = ''] = await containers();
    await client.killContainer({ params: { appid, containerId: first } });
    const replaced = await until(containers, ([next = '']) => next !== '' && next !== first);
    const said = await until(
      () => saidBy(client, appid, replaced[0] ?? '').catch(() => []),
      (words) => words.length > 3,
    );
    t.equal(said[0], 'debug', 'a container that starts later has the level from its first line on');
    t.strictSame((await client.listLoggers({ params })).loggers, [
      { target: 'test.*', logLevel: 'INFO' },
      { target: 'test.Talker', logLevel: 'DEBUG' },
    ]);

    await set('ERROR');
    t.strictSame(
      (await client.listLoggers({ params })).loggers,
      [{ target: 'test.*', logLevel: 'ERROR' }],
      'a wide target takes the place of narrower ones',
    );
    t.match(await client.searchLoggers({ params, query: { pattern: 'test\\..*' } }), {
      loggers: [
        { name: 'test.Sequence', level: 'ERROR' },
        { name: 'test.Talker', level: 'ERROR' },
      ],
    });
    const windows = async () => {
      const { operators: found } = await client.listLogicalOperators({ params });
      return BigInt(found.find(({ name }) => name === 'two')?.currentWindowId ?? 0);
    };
    // The order may still be on its way; what was said before it came is all that is said.
    const untilWindow = async (more: bigint) => {
      const from = await windows();
      await until(windows, (now) => now > from + more);
    };
    await untilWindow(5n);
    const last = await allSaid();
    await untilWindow(5n);
    t.strictSame(await allSaid(), last, 'nothing below ERROR is said any more');

    await client.killApplication({ params });
    await untilState(client, appid, 'KILLED');
    await t.rejects(set('DEBUG'), { status: 409, code: 'APPLICATION_ENDED' });
    t.strictSame(await client.listLoggers({ params }), { loggers: [] });
  },
);

t.test('a pattern is looked at for those only who may see an application that is there', async (t) => {
  const { gateway, newClient } = await engineGateway(t);
  const ada = newClient(as('ada', 'developer'));
  const search = (client: Client, appid: string) =>
    client.searchLoggers({ params: { appid }, query: { pattern: '(' } });
  await t.rejects(search(ada, 'application_1_0001'), { code: 'NOT_FOUND' });
  const appid = await gateway.launch(words('private'));
  await untilItRuns(ada, appid);
  await t.rejects(search(ada, appid), { code: 'PATTERN_NOT_VALID' });
  await t.rejects(search(newClient(as('bob', 'developer')), appid), { code: 'NOT_FOUND' });
});
