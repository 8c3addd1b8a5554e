import t from 'tap';
import { randomNumbers } from './application-package.js';
import { until, type YarnSession, yarnSession } from './session.js';

// What the real cluster does when it is not well, and that what is told of an application is true all the while. The
// whole list of faults is driven against the double.

t.setTimeout(600_000);
const whole = t;
let session: YarnSession;
let source = { owner: '', name: '', version: '' };
let appid = '';
const params = () => ({ appid });
const rand = () => ({ appid, opid: '1' });
const client = () => session.client;
const unreachable = { status: 502, code: 'UNREACHABLE' };

/** Every state that was told of the application while something went wrong; refusals by their code. */
async function toldDuring(run: () => Promise<void>): Promise<Set<string>> {
  const told = new Set<string>();
  const stop = client().subscribe('applications', ({ apps }) =>
    told.add(apps.find(({ id }) => id === appid)?.state ?? 'not in the list'),
  );
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      told.add(
        await client()
          .getApplication({ params: params() })
          .then(
            ({ state, finalStatus }) => (finalStatus === 'UNDEFINED' ? state : `ended: ${state}`),
            ({ code }: { code: string }) => code,
          ),
      );
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  try {
    await run();
  } finally {
    isOver = true;
    await asking;
    stop();
  }
  return told;
}

async function record(): Promise<string> {
  const { id } = await client().startOperatorRecording({ params: rand() });
  await until(
    () => client().getRecording({ params: { ...rand(), id } }),
    ({ startTime }) => startTime > 0,
  );
  await client().stopOperatorRecording({ params: rand() });
  await until(
    () => client().getRecording({ params: { ...rand(), id } }),
    ({ ended }) => ended,
  );
  return id;
}

t.test('an application runs', async (t) => {
  session = await yarnSession(whole, { yarn: { 'yarn.resourcemanager.recovery.enabled': true } });
  source = await session.upload({ applications: { Random: randomNumbers } });
  const launched = { params: { ...source, appName: 'Random' } };
  appid = (await client().launchPackageApplication(launched)).appId;
  const operators = await session.untilItRuns(appid);
  t.equal(operators.length, 2);
});

t.test('in safe mode the file system is read, and says why it takes no change', async (t) => {
  const id = await record();
  await session.cluster.administrate('-safemode', 'enter');
  try {
    const one = { params: { ...rand(), id } };
    await t.rejects(client().deleteRecording(one), { status: 502, message: /safe mode/i });
    t.match(await client().getRecording(one), { id, ended: true }, 'it is still there');
    t.ok((await client().listEvents({ params: params() })).events.length > 0);
    const launch = client().launchPackageApplication({
      params: { ...source, appName: 'Random' },
      body: { 'apex.attr.APPLICATION_NAME': 'Another' },
    });
    await t.rejects(launch, { message: /safe mode/i });
    await t.rejects(client().startOperatorRecording({ params: rand() }), {
      status: 502,
      message: /safe mode/i,
    });
  } finally {
    await session.cluster.administrate('-safemode', 'leave');
  }
  await client().deleteRecording({ params: { ...rand(), id } });
  await session.untilItRuns(appid);
});

t.test('a recording that finds no room does no harm', async (t) => {
  const id = await record();
  const { appPath } = await client().getApplication({ params: params() });
  const folder = `${new URL(appPath).pathname}/recordings`;
  await session.cluster.administrate('-setSpaceQuota', '1', folder);
  const told = await toldDuring(async () => {
    const full = await client().startOperatorRecording({ params: rand() });
    await until(
      () => client().getPhysicalOperator({ params: rand() }),
      ({ recordingId }) => recordingId === full.id,
    );
    const { recordings } = await client().listOperatorRecordings({ params: rand() });
    t.ok(
      recordings.some((one) => one.id === id && one.ended),
      'the one before is whole',
    );
    t.equal(
      recordings.find((one) => one.id === full.id)?.totalTuples ?? 0,
      0,
      'and of this one there is nothing',
    );
    await client().stopOperatorRecording({ params: rand() });
  });
  t.strictSame([...told], ['RUNNING']);
  await session.cluster.administrate('-clrSpaceQuota', folder);
  await session.untilItRuns(appid);
});

t.test('a resource manager that is restarted: first nothing is known, then the same as before', async (t) => {
  const before = await client().getApplication({ params: params() });
  const told = await toldDuring(async () => {
    await session.cluster.stop('resourceManager', 'SIGKILL');
    await t.rejects(client().listApplications(), unreachable);
    t.match(await client().getApplication({ params: params() }), {
      state: 'RUNNING',
      observedAt: before.observedAt,
    });
    t.equal(
      (await client().listPhysicalOperators({ params: params() })).operators.length,
      2,
      'its master lives on, and is asked',
    );
    await session.cluster.start('resourceManager');
    await session.untilItRuns(appid);
  });
  t.strictSame(
    [...told].filter(
      (state) => !['RUNNING', 'ACCEPTED', 'UNREACHABLE', 'TIMED_OUT', 'UNUSABLE_ANSWER'].includes(state),
    ),
    [],
    `never ended: ${[...told]}`,
  );
  t.match(await client().getApplication({ params: params() }), {
    state: 'RUNNING',
    startedTime: before.startedTime,
    currentAttemptId: before.currentAttemptId,
  });
});

t.test('a node manager that is killed and comes back: the application does, too', async (t) => {
  const containerId = (await client().getPhysicalOperator({ params: rand() })).container ?? '';
  const told = await toldDuring(async () => {
    await session.cluster.stop('nodeManager', 'SIGKILL');
    await t.rejects(client().listLogs({ params: { appid, containerId } }), unreachable);
    t.equal(
      (await client().listPhysicalOperators({ params: params() })).operators.length,
      2,
      'its master lives on',
    );
    await session.cluster.start('nodeManager');
    // Its containers are lost to the resource manager, which starts another attempt.
    await until(
      () => client().getApplication({ params: params() }),
      ({ currentAttemptId, state }) => currentAttemptId.endsWith('_000002') && state === 'RUNNING',
    );
    await session.untilItRuns(appid);
  });
  t.strictSame(
    [...told].filter((state) => !['RUNNING', 'ACCEPTED'].includes(state)),
    [],
    `never ended: ${[...told]}`,
  );
});

t.test('and it ends when it is told to', async (t) => {
  await client().killApplication({ params: params() });
  t.match(await session.untilState(appid, 'KILLED'), { finalStatus: 'KILLED' });
});
