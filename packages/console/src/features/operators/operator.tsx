import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { duration } from '../../format/duration.js';
import { exactCount, percent, unknown } from '../../format/number.js';
import { textOf } from '../../forms/property-values.js';
import { read, readText } from '../../gateway/queries.js';
import { useWindowMillis } from '../../gateway/use-window-millis.js';
import { Fact, FactGrid } from '../../shell/fact-grid.js';
import { IfMay } from '../../shell/if-may.js';
import { Loaded } from '../../shell/loaded.js';
import { Name } from '../../shell/name.js';
import { Part } from '../../shell/part.js';
import { Ago } from '../../shell/time.js';
import { Attributes } from './attributes.js';
import { Charts } from './charts.js';
import { ContainerLink } from './container-link.js';
import { countersOf, exactOperator, exactRecord } from './exact.js';
import { Figures } from './figures.js';
import { NamedValues } from './named-values.js';
import { Partitions } from './partitions.js';
import { Ports } from './ports.js';
import { Profiling } from './profiling/profiling.js';
import { Properties } from './properties.js';
import { RecordingsOf } from './recordings/recordings-of.js';
import { stateOf } from './rows.js';
import { Section } from './section.js';
import { Trail } from './trail.js';
import { type Logical, useLogical, usePhysical } from './use-operators.js';
import { Window } from './window.js';
import { words } from './words.js';

export default function Operator() {
  const { id, name } = useParams({ from: '/framed/apps/$id/operators/$name' });
  const query = useQuery(read('getLogicalOperator', { params: { appid: id, opName: name } }));
  return (
    <>
      <Trail appid={id} />
      <Loaded query={query} what={name} lines={6}>
        {(operator) => <Shown key={name} appid={id} listed={operator} />}
      </Loaded>
    </>
  );
}

function Shown({ appid, listed }: { readonly appid: string; readonly listed: Logical }) {
  const { name } = listed;
  const { operators, text, receivedAt } = useLogical(appid);
  const operator = operators.find((one) => one.name === name) ?? listed;
  const { operators: physical } = usePhysical(appid, name);
  const { data: readAs } = useQuery(readText('getLogicalOperator', { params: { appid, opName: name } }));
  const exact = useMemo(() => exactOperator(text, 'name', name) ?? exactRecord(readAs), [text, name, readAs]);
  const counters = useMemo(() => countersOf(exact), [exact]);
  return (
    <Part
      title={words.titleOf(name)}
      heading={<Name>{name}</Name>}
      beside={<Figures state={stateOf(operator.status)} of={operator} />}
    >
      <Stack gap="lg">
        <About appid={appid} operator={operator} exact={exact} />
        <Charts appid={appid} name={name} figures={operator} receivedAt={receivedAt} />
        <Section title={words.partitions}>
          <Partitions appid={appid} name={name} all={physical} />
        </Section>
        <Profiling appid={appid} name={name} partitions={physical} />
        <Section title={words.ports}>
          <Ports appid={appid} name={name} partitions={physical.filter(({ isUnifier }) => !isUnifier)} />
        </Section>
        <Section title={words.properties}>
          <IfMay id="getOperatorProperties">
            <Properties appid={appid} name={name} className={operator.className} />
          </IfMay>
        </Section>
        <RecordingsOf appid={appid} name={name} partitions={physical} />
        <Section title={words.counters}>
          <NamedValues
            title={words.counters}
            name={words.counter}
            value={words.value}
            entries={counters}
            none={words.noCounters}
          />
        </Section>
        <Section title={words.attributes}>
          <Attributes appid={appid} name={name} />
        </Section>
      </Stack>
    </Part>
  );
}

function About({
  appid,
  operator,
  exact,
}: {
  readonly appid: string;
  readonly operator: Logical;
  readonly exact: Readonly<Record<string, unknown>>;
}) {
  const { facts } = words;
  const width = useWindowMillis(appid);
  return (
    <FactGrid>
      <Fact term={facts.class}>{operator.className}</Fact>
      <Fact term={facts.containers}>
        {operator.containerIds.length === 0
          ? unknown
          : operator.containerIds.map((id) => (
              <div key={id}>
                <ContainerLink appid={appid} id={id} />
              </div>
            ))}
      </Fact>
      <Fact term={facts.window}>
        <Window id={operator.currentWindowId} width={width} />
      </Fact>
      <Fact term={facts.recovery}>
        <Window id={operator.recoveryWindowId} width={width} />
      </Fact>
      <Fact term={facts.processed}>{exactCount(textOf(exact['totalTuplesProcessed']) || undefined)}</Fact>
      <Fact term={facts.emitted}>{exactCount(textOf(exact['totalTuplesEmitted']) || undefined)}</Fact>
      <Fact term={facts.cpu}>{percent((operator.cpuPercentageMA ?? Number.NaN) / 100)}</Fact>
      <Fact term={facts.failures}>{exactCount(operator.failureCount)}</Fact>
      <Fact term={facts.heartbeat}>
        <Ago at={operator.lastHeartbeat > 0 ? operator.lastHeartbeat : undefined} />
      </Fact>
      <Fact term={facts.checkpoint}>{duration(operator.checkpointTimeMA)}</Fact>
    </FactGrid>
  );
}
