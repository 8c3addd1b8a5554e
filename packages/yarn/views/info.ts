import { isSecretName, type MasterInfo } from 'headgate/driver-kit';
import * as z from 'zod';
import { Id, numbersOf, Quantity, Text, Values, WindowId } from '../wire/values.js';

const Stats = z.object({
  latency: Quantity,
  plannedContainers: Quantity,
  failedContainers: Quantity,
  allocatedContainers: Quantity,
  numOperators: Quantity,
  windowStartMillis: Quantity,
  criticalPath: z
    .array(Id)
    .nullish()
    .transform((path) => path ?? []),
  currentWindowId: WindowId,
  recoveryWindowId: WindowId,
  tuplesProcessedPSMA: Quantity,
  totalTuplesProcessed: Quantity,
  tuplesEmittedPSMA: Quantity,
  totalTuplesEmitted: Quantity,
  totalMemoryAllocated: Quantity,
  memoryRequired: Quantity,
  totalVCoresAllocated: Quantity,
  vcoresRequired: Quantity,
  totalBufferServerReadBytesPSMA: Quantity,
  totalBufferServerWriteBytesPSMA: Quantity,
});

const End = z.object({ operatorName: Text, url: Text, topic: Text });
const Source = z.object({
  name: z.string(),
  type: Text,
  operatorName: z.string().nullish(),
  portName: z.string().nullish(),
  schemaKeys: Values.nullish(),
  query: End.nullish(),
  result: End.extend({ appendQIDToTopic: z.boolean().default(false) }).nullish(),
});

/** `info` of a master. */
export const Info = z.object({
  id: z.string(),
  appPath: Text,
  version: Text,
  gatewayAddress: Text,
  gatewayConnected: z
    .boolean()
    .nullish()
    .transform((is) => is ?? false),
  appDataSources: z.array(Source).nullish(),
  metrics: z.record(z.string(), Values).nullish(),
  attributes: Values.nullish(),
  stats: Stats,
});
export type Info = z.output<typeof Info>;

/** `ownAddress`: where this gateway is, as applications were told; `''`: they were not. */
export const infoView = (info: Info, ownAddress: string): Omit<MasterInfo, 'appMasterTrackingUrl'> => ({
  appPath: info.appPath,
  version: versionIn(info.version),
  gatewayAddress: info.gatewayAddress,
  gatewayConnected: info.gatewayConnected,
  connectedToThisGateway: info.gatewayConnected && ownAddress !== '' && info.gatewayAddress === ownAddress,
  dataSources: (info.appDataSources ?? []).map(sourceView),
  metrics: Object.fromEntries(
    Object.entries(info.metrics ?? {}).map(([operator, values]) => [operator, numbersOf(values)]),
  ),
  attributes: withoutSecrets(info.attributes ?? {}),
  stats: info.stats,
});

/** `3.7.0 from rev: 1a2b3c branch: v3.7.0 by ann on 2018-04-01` */
const versionIn = (text: string): string => text.split(' from ')[0] ?? '';

function sourceView({
  operatorName,
  portName,
  query,
  result,
  schemaKeys,
  ...source
}: z.output<typeof Source>) {
  return {
    ...source,
    schemaKeys: schemaKeys ?? null,
    ...(operatorName ? { operatorName } : {}),
    ...(portName ? { portName } : {}),
    ...(query ? { query } : {}),
    ...(result ? { result } : {}),
  };
}

/** Passwords stand in the open in what masters tell of attributes, also inside of others. */
export function withoutSecrets(attributes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      isSecretName(name) || name === 'SSL_CONFIG' ? null : innerSecretsGone(value),
    ]),
  );
}

const innerSecretsGone = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? withoutSecrets({ ...value }) : value;
