import type { DataSourceProperties } from '@headgate/operators';
import { topicOf } from '@headgate/operators';
import type { MasterInfo } from 'headgate/driver-kit';
import type { ViewedState } from './viewed-application.js';

type DataSource = MasterInfo['dataSources'][number];

/** What clients may query, and on which topics: `docs/decisions.md`, App Data has one entry for each port. */
export const dataSourcesOf = ({ record, plan }: ViewedState): DataSource[] =>
  plan.operators.flatMap(({ name, type, properties }) =>
    Object.entries(type.dataSources ?? {}).map(([port, source]) =>
      dataSource({ applicationId: record.id, operatorName: name }, port, properties, source),
    ),
  );

function dataSource(
  context: { readonly applicationId: string; readonly operatorName: string },
  portName: string,
  properties: Readonly<Record<string, unknown>>,
  { queryTopic, resultTopic, schemaKeys = '' }: DataSourceProperties,
): DataSource {
  const { operatorName } = context;
  const topic = (property: string) => topicOf(String(properties[property]), context);
  // The engine's word for "this gateway's own topics".
  const url = 'pubsub';
  return {
    name: `${operatorName}.${portName}`,
    type: 'dag',
    operatorName,
    portName,
    query: { operatorName, url, topic: topic(queryTopic) },
    result: { operatorName, url, topic: topic(resultTopic), appendQIDToTopic: true },
    schemaKeys: keysOf(properties[schemaKeys]),
  };
}

const keysOf = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null ? { ...value } : null;
