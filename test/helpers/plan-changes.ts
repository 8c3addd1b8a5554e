import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../../lib/client.js';
import type { ChangeRequest } from '../../lib/driver-kit.js';
import type { HostLaunch } from '../../lib/index.js';
import { engineGateway, untilItRuns, untilState } from './applications.js';
import { fixtures, linesOf, op } from './local-cluster.js';
import { as } from './people.js';
import { until } from './waiting.js';

// Applications that count, whose plan changes while they do.

type Application = HostLaunch['application'];

const end = (text: string) => {
  const [operatorName = '', portName = ''] = text.split('.');
  return { operatorName, portName };
};

export const create = (operatorName: string, type: string): ChangeRequest => ({
  requestType: 'CreateOperatorRequest',
  operatorName,
  operatorFQCN: type.includes('.') ? type : `test.${type}`,
});
export const give = (operatorName: string, propertyName: string, propertyValue: string): ChangeRequest => ({
  requestType: 'SetOperatorPropertyRequest',
  operatorName,
  propertyName,
  propertyValue,
});
export const remove = (operatorName: string): ChangeRequest => ({
  requestType: 'RemoveOperatorRequest',
  operatorName,
});
export const cut = (streamName: string): ChangeRequest => ({
  requestType: 'RemoveStreamRequest',
  streamName,
});
export const sink = (streamName: string, to: string): ChangeRequest => ({
  requestType: 'AddStreamSinkRequest',
  streamName,
  sinkOperatorName: end(to).operatorName,
  sinkOperatorPortName: end(to).portName,
});
/** `a.out -> b.in` */
export function connect(streamName: string, text: string): ChangeRequest {
  const [from = '', to = ''] = text.split(' -> ').map(end);
  if (typeof from === 'string' || typeof to === 'string') throw new Error(text);
  return {
    requestType: 'CreateStreamRequest',
    streamName,
    sourceOperatorName: from.operatorName,
    sourceOperatorPortName: from.portName,
    sinkOperatorName: to.operatorName,
    sinkOperatorPortName: to.portName,
  };
}

/** Numbers from 0 on, without end, until the application is shut down; `counted` tells how many they were. */
export const source = (folder: string, properties = {}, attributes = {}) =>
  op(
    'source',
    'Sequence',
    { total: -1, perSecond: 2000, statusFile: join(folder, 'source'), ...properties },
    attributes,
  );
export const counted = (folder: string): number => Number(readFileSync(join(folder, 'source'), 'utf8'));

/** What a `Journal` wrote. */
export const numbersIn = (file: string): number[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1).map(Number) : [];

/** What a `Totals` counted last. */
export const totalsIn = (file: string) => (existsSync(file) ? linesOf(file).at(-1) : undefined);

/** What is not as it should be in numbers that begin anywhere and have to go on to `count - 1`, each once and in order. */
export function gapsIn(numbers: readonly number[], count: number): string[] {
  const first = numbers[0] ?? 0;
  const wrong = numbers.flatMap((number, index) =>
    number === first + index ? [] : [`${number} where ${first + index} belongs`],
  );
  if (first + numbers.length !== count) wrong.push(`ends before ${first + numbers.length}, not ${count}`);
  return wrong.slice(0, 3);
}

export const sumOf = (from: number, count: number): number => ((from + count - 1) * (count - from)) / 2;

export async function planStage(
  t: Parameters<typeof engineGateway>[0],
  options: Parameters<typeof engineGateway>[1] = {},
) {
  const { gateway, newClient } = await engineGateway(t, { operators: [fixtures], ...options });
  const client = newClient(as('ada', 'developer'));
  return {
    newClient,
    client,
    /** Resolves when tuples flow. */
    async launch(name: string, application: Application): Promise<string> {
      const attributes = {
        STREAMING_WINDOW_SIZE_MILLIS: 50,
        CHECKPOINT_WINDOW_COUNT: 10,
        HEARTBEAT_INTERVAL_MILLIS: 100,
        ...application.attributes,
      };
      const appid = await gateway.launch({ user: 'ada', name, application: { ...application, attributes } });
      await untilItRuns(client, appid);
      return appid;
    },
    change: (appid: string, ...requests: ChangeRequest[]) =>
      client.changeLogicalPlan({ params: { appid }, body: { requests } }),
    /** Drains it; resolves its physical plan as it last was. */
    async finish(appid: string) {
      await client.shutdownApplication({ params: { appid } });
      await untilState(client, appid, 'FINISHED');
      return client.getPhysicalPlan({ params: { appid } });
    },
    restart: async (appid: string) => {
      const { appId } = await client.restartApplication({ params: { appid } });
      await untilItRuns(client, appId);
      return appId;
    },
  };
}

export const pidOf = (container: { jvmName: string } | undefined): number =>
  Number.parseInt(container?.jvmName ?? '', 10);

/** The process that runs this operator. */
export async function containerOf(client: Client, appid: string, operatorName: string) {
  const { containers } = await client.listContainers({ params: { appid } });
  const found = containers.find(
    ({ state, operators }) => state !== 'KILLED' && Object.values(operators).includes(operatorName),
  );
  if (!found) throw new Error(`No container runs ${operatorName}`);
  return found;
}

/** Until a journal has this many lines more. */
export const untilMore = (file: string, lines = 200) => {
  const before = numbersIn(file).length;
  return until(
    async () => numbersIn(file).length,
    (now) => now >= before + lines,
  );
};
