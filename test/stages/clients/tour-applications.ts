import type { Client } from '../../../lib/client.js';
import { untilItRuns, untilState } from '../../helpers/applications.js';
import { op, stream } from '../../helpers/local-cluster.js';
import { until } from '../../helpers/waiting.js';
import { drained, wordy } from './tour-packages.js';

/** The life of an application of the package `wordy`, and of one that fails. Gives what still runs. */
export async function tourApplications(client: Client): Promise<string> {
  const { appId: appid } = await client.launchPackageApplication({
    params: { ...wordy, appName: 'words' },
    query: { config: 'slow.xml' },
    body: { 'apex.operator.source.prop.tuplesPerSecond': '50' },
  });
  await untilItRuns(client, appid);
  await tourApplication(client, appid);
  await tourLogicalPlan(client, appid);
  await tourOperators(client, appid);
  await tourRecordings(client, appid);
  await tourContainers(client, appid);
  await tourWebServices(client, appid);
  await client.changeLogicalPlan({
    params: { appid },
    body: {
      requests: [
        {
          requestType: 'CreateOperatorRequest',
          operatorName: 'log',
          operatorFQCN: 'headgate.io.ConsoleOutput',
        },
        {
          requestType: 'AddStreamSinkRequest',
          streamName: 'counts',
          sinkOperatorName: 'log',
          sinkOperatorPortName: 'input',
        },
      ],
    },
  });
  await client.shutdownApplication({ params: { appid } });
  await untilState(client, appid, 'FINISHED');
  const again = await client.restartApplication({ params: { appid } });
  await client.killApplication({ params: { appid: again.appId } });
  await tourFailure(client);
  const last = await client.launchPackageApplication({ params: { ...wordy, appName: 'words' } });
  await untilItRuns(client, last.appId);
  return last.appId;
}

/** Of a job of Flink, which has savepoints as the embedded engine has not. */
export async function tourCheckpoints(client: Client, appid: string): Promise<void> {
  const params = { appid };
  const { id } = await client.startSavepoint({ params, body: { formatType: 'CANONICAL' } });
  await until(
    () => client.listSavepoints({ params }),
    ({ savepoints }) => savepoints[0]?.state === 'COMPLETED',
  );
  await client.getCheckpoints({ params });
  await client.deleteSavepoint({ params: { ...params, id } });
}

/** Of the same job: what the embedded engine does not look into. */
export async function tourProfiling(client: Client, appid: string): Promise<void> {
  const ofOperator = { appid, opName: 'plus one' };
  await client.getFlameGraph({ params: ofOperator, query: { type: 'ON_CPU', operatorId: '200000' } });
  await client.getBackPressure({ params: ofOperator });
  const params = { appid, containerId: 'tm1' };
  const { id } = await client.startProfile({ params, body: { mode: 'ITIMER', seconds: 30 } });
  await until(
    () => client.listProfiles({ params }),
    ({ profiles }) => profiles[0]?.state === 'FINISHED',
  );
  const page = await client.downloadProfile({ params: { ...params, id } });
  await page.text();
}

async function tourApplication(client: Client, appid: string): Promise<void> {
  const params = { appid };
  await until(
    () => client.getApplicationMetrics({ params }),
    ({ metrics }) => metrics.length >= 0,
  );
  await client.listApplications({ query: { states: 'RUNNING' } });
  await client.getApplication({ params });
  await client.listApplicationIssues({ params });
  await client.listEvents({ params, query: { limit: 10 } });
  const permissions = {
    readOnly: { users: [], roles: ['operator'], everyone: false },
    readWrite: { users: ['ada'], roles: [], everyone: false },
  };
  await client.putApplicationPermissions({ params, body: permissions });
  await client.getApplicationPermissions({ params });
  await client.setLoggers({ params, body: { loggers: [{ target: 'headgate.io.*', logLevel: 'DEBUG' }] } });
  await client.listLoggers({ params });
  await client.searchLoggers({ params, query: { pattern: 'headgate.*' } });
  await client.listOperatorClasses({ params, query: { q: 'console' } });
  await client.getOperatorClass({ params: { appid, operatorClass: 'headgate.io.ConsoleOutput' } });
}

async function tourLogicalPlan(client: Client, appid: string): Promise<void> {
  const params = { appid };
  const source = { appid, opName: 'source' };
  await client.getLogicalPlan({ params });
  await client.getApplicationAttributes({ params });
  await client.listLogicalOperators({ params });
  await client.getLogicalOperator({ params: source });
  await client.setOperatorProperties({ params: source, body: { tuplesPerSecond: 100 } });
  await client.getOperatorProperties({ params: source, query: { propertyName: 'tuplesPerSecond' } });
  await client.getOperatorAttributes({ params: source });
  await client.getPortAttributes({ params: { ...source, portName: 'output' } });
  await until(
    () => client.getOperatorStatsMeta({ params: source }),
    ({ count }) => count > 2,
  );
  await client.listOperatorStats({ params: source });
  await client
    .listOperatorCollections({ params: { appid, operatorName: 'source', logName: 'gc' } })
    .catch(() =>
      client.listOperatorCollections({ params: { appid, operatorName: 'source', logName: 'stdout' } }),
    );
}

async function tourOperators(client: Client, appid: string): Promise<void> {
  const params = { appid };
  await client.getPhysicalPlan({ params });
  const { operators } = await client.listPhysicalOperators({ params });
  const opid = operators.find(({ name }) => name === 'source')?.id ?? '';
  await client.listPhysicalStreams({ params });
  const one = { appid, opid };
  await client.getPhysicalOperator({ params: one });
  await client.setPhysicalOperatorProperties({ params: one, body: { tuplesPerSecond: 150 } });
  await client.getPhysicalOperatorProperties({ params: one, query: { live: true } });
  await client.getDeployHistory({ params: one });
  await client.listPorts({ params: one });
  await client.getPort({ params: { ...one, portName: 'output' } });
}

async function tourRecordings(client: Client, appid: string): Promise<void> {
  const { operators } = await client.listPhysicalOperators({ params: { appid } });
  const params = { appid, opid: operators.find(({ name }) => name === 'source')?.id ?? '' };
  const { id } = await client.startOperatorRecording({ params, body: { numWindows: 20 } });
  const recording = { ...params, id };
  const found = () => client.getRecording({ params: recording }).catch(() => undefined);
  await until(found, (one) => one !== undefined && one.totalTuples > 0);
  await client.stopOperatorRecording({ params });
  await until(found, (one) => one?.ended === true);
  await client.listApplicationRecordings({ params });
  await client.listOperatorRecordings({ params });
  await client.getRecordedTuples({ params: recording, query: { offset: 0, limit: 2 } });
  await client.deleteRecording({ params: recording });
  const port = { ...params, portName: 'output' };
  await client.startPortRecording({ params: port, body: { numWindows: 1000 } });
  await client.stopPortRecording({ params: port });
}

async function tourContainers(client: Client, appid: string): Promise<void> {
  const params = { appid };
  const { containers } = await client.listContainers({ params, query: { states: 'ACTIVE' } });
  const containerId = containers.find(({ containerType }) => containerType === 'STREAMING')?.id ?? '';
  const one = { appid, containerId };
  await client.getContainer({ params: one });
  await until(
    () => client.getContainerStatsMeta({ params }),
    ({ count }) => count > 0,
  );
  await client.listContainerStats({ params });
  await client.getStackTrace({ params: one });
  const { logs } = await client.listLogs({ params: one });
  const logName = logs.find(({ length }) => length > 0)?.name ?? 'stdout';
  const log = await client.readLog({
    params: { ...one, logName },
    query: { lastNBytes: 300, includeOffset: true },
  });
  if (log instanceof Response) await drained(log);
  const all = await client.listCollections({
    params: { appid, logName: 'stdout' },
    query: { includeOffset: true },
  });
  if (all instanceof Response) await drained(all);
  await client.killContainer({ params: one });
  await untilItRuns(client, appid);
}

/** The engine's own, behind the proxies. */
async function tourWebServices(client: Client, appid: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await drained(await client.forwardManagerGet({ params: { rest: 'cluster/info' } }));
  await client.forwardManagerPost({ params: { rest: 'cluster/apps' }, body: '{}', headers }).catch(() => {});
  await drained(await client.forwardMasterGet({ params: { rest: `${appid}/info` } }));
  const loggers = '{"loggers":[{"target":"headgate.io.*","logLevel":"INFO"}]}';
  await drained(
    await client.forwardMasterPost({ params: { rest: `${appid}/loggers` }, body: loggers, headers }),
  );
  await client.forwardMasterPut({ params: { rest: `${appid}/info` }, body: '{}', headers }).catch(() => {});
  await client.forwardMasterDelete({ params: { rest: `${appid}/recordings/1` } }).catch(() => {});
}

async function tourFailure(client: Client): Promise<void> {
  const appName = 'failing';
  await client.putPackageApplication({
    params: { ...wordy, appName },
    body: {
      displayName: 'It fails',
      attributes: { STREAMING_WINDOW_SIZE_MILLIS: 100 },
      operators: [op('source', 'Sequence', { total: -1, perSecond: 100 }), op('beans', 'Trouble', { at: 3 })],
      streams: [stream('source.out -> beans.in')],
    },
  });
  const { appId: appid } = await client.launchPackageApplication({ params: { ...wordy, appName } });
  await untilState(client, appid, 'FAILED');
  await until(
    () => client.getFailureRootCause({ params: { appid } }).catch(() => undefined),
    (cause) => cause !== undefined,
  );
}
