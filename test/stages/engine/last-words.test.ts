import { join } from 'node:path';
import t, { type Test } from 'tap';
import { z } from 'zod';
import type { Client } from '../../../lib/client.js';
import type { ChangeRequest } from '../../../lib/driver-kit.js';
import { engineGateway, untilItRuns, words } from '../../helpers/applications.js';
import { testFolder } from '../../helpers/folder.js';
import { op, stream } from '../../helpers/local-cluster.js';
import { as } from '../../helpers/people.js';
import { containerOf, cut, planStage, remove, source } from '../../helpers/plan-changes.js';
import { until } from '../../helpers/waiting.js';
import { pipeline, yarnGateway } from '../../helpers/yarn.js';
import { type List, lists, type Stories, storiesOf } from './stories.js';

// An application that was killed leaves the list of its topic with a word about its end.

const Apps = z.object({
  apps: z.array(z.object({ id: z.string(), finalStatus: z.string(), state: z.string() })),
});

t.setTimeout(240_000);

t.test('the topic of applications says how one ended before it leaves', async (t) => {
  const { gateway, newClient } = await engineGateway(t);
  const root = newClient(as('root', 'admin'));
  const told: string[] = [];
  let appid = '';
  await root.subscribe('applications', (data) => {
    const app = Apps.parse(data).apps.find(({ id }) => id === appid);
    told.push(app ? app.finalStatus : 'absent');
  });
  appid = await gateway.launch(words());
  await untilItRuns(root, appid);
  await until(
    async () => told,
    (all) => all.includes('UNDEFINED'),
  );
  await root.killApplication({ params: { appid } });
  await until(
    async () => told,
    (all) => all.at(-1) === 'absent',
  );
  const story = told.slice(told.indexOf('UNDEFINED')).filter((state, index, all) => state !== all[index - 1]);
  t.strictSame(story, ['UNDEFINED', 'KILLED', 'absent']);
});

/** Kills a container, removes the third operator, kills the application; each must be told of as it ends. */
async function endsOneByOne(
  t: Test,
  { client, appid, change }: { client: Client; appid: string; change: ChangeRequest[] },
): Promise<Stories> {
  const params = { appid };
  const stories = storiesOf(client, appid);
  await untilItRuns(client, appid);
  const containerNow = async () => {
    const { id } = await containerOf(client, appid, 'totals');
    await stories.until('containers', id, (story) => story.at(-1) === 'ACTIVE');
    return id;
  };
  const victim = await containerNow();
  await stories.until('physicalOperators', '3', (story) => story.at(-1) === 'ACTIVE');
  await stories.until('logicalOperators', 'totals', (story) => story.at(-1) === 'ACTIVE');
  await client.killContainer({ params: { ...params, containerId: victim } });
  await stories.until('containers', victim, (story) => story.includes('KILLED'));
  await untilItRuns(client, appid);
  t.not(await containerNow(), victim);
  t.equal(ends(stories, 'containers', victim), 1, 'a container that was killed');

  await client.changeLogicalPlan({ params, body: { requests: change } });
  for (const [list, id] of [
    ['logicalOperators', 'totals'],
    ['physicalOperators', '3'],
  ] as const) {
    await stories.until(list, id, (story) => story.at(-1) === 'absent');
    t.strictSame(stories.of(list, id).slice(-2), ['INACTIVE', 'absent'], `${list}: a change of the plan`);
    t.equal(ends(stories, list, id), 1);
  }

  await client.killApplication({ params });
  for (const list of lists) {
    for (const id of stories.ids(list)) await stories.until(list, id, (story) => story.includes(endOf(list)));
  }
  await laterRounds(client);
  for (const list of lists) {
    for (const id of stories.ids(list)) {
      t.equal(ends(stories, list, id), 1, `${list}: ${id} of an application that was killed`);
    }
  }
  return stories;
}

/** Topics were read a few times more: what would be told again, has been. */
async function laterRounds(client: Client): Promise<void> {
  let rounds = 0;
  client.subscribe('applications', () => rounds++);
  await until(
    async () => rounds,
    (count) => count > 3,
  );
}

const endOf = (list: List) => (list === 'containers' ? 'KILLED' : 'INACTIVE');
const ends = (stories: Stories, list: List, id: string) =>
  stories.of(list, id).filter((state) => state === endOf(list)).length;

t.test('embedded engine: what goes from the lists of an application is told once more', async (t) => {
  const folder = testFolder(t);
  const { client, launch } = await planStage(t);
  const appid = await launch('lists', {
    operators: [
      source(folder),
      op('journal', 'Journal', { file: join(folder, 'journal') }),
      op('totals', 'Totals', { file: join(folder, 'totals') }),
    ],
    streams: [
      { ...stream('source.out -> journal.in'), name: 'numbers' },
      { ...stream('journal.out -> totals.in'), name: 'seen' },
    ],
  });
  const stories = await endsOneByOne(t, { client, appid, change: [cut('seen'), remove('totals')] });
  t.equal(stories.ids('containers').length, 5, 'the master, those of three operators, and one again');
});

t.test('YARN: what goes from the lists of an application is told once more', async (t) => {
  const { client, double } = await yarnGateway(t);
  const { id: appid } = await double.run(
    pipeline({
      application: {
        operators: [
          { name: 'source', class: 'com.example.Random' },
          { name: 'journal', class: 'com.example.Console' },
          { name: 'totals', class: 'com.example.Console' },
        ],
        streams: [stream('source.out -> journal.in'), stream('journal.out -> totals.in')],
      },
    }),
  );
  const stories = await endsOneByOne(t, { client, appid, change: [remove('totals')] });
  t.equal(stories.ids('containers').length, 5, 'the master, those of three operators, and one again');
});
