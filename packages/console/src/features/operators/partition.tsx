import { Alert, Stack, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { duration } from '../../format/duration.js';
import { exactCount, percent } from '../../format/number.js';
import { textOf } from '../../forms/property-values.js';
import { read, readText } from '../../gateway/queries.js';
import { useWindowMillis } from '../../gateway/use-window-millis.js';
import { Fact, FactGrid } from '../../shell/fact-grid.js';
import { IfMay } from '../../shell/if-may.js';
import { Loaded } from '../../shell/loaded.js';
import { Part } from '../../shell/part.js';
import { TableHead } from '../../shell/table-head.js';
import { Moment } from '../../shell/time.js';
import { isClientError } from '../../shell/words.js';
import { Charts } from './charts.js';
import { ContainerLink } from './container-link.js';
import { countersOf, exactOperator, exactRecord } from './exact.js';
import { Figures } from './figures.js';
import { NamedValues } from './named-values.js';
import { Ports } from './ports.js';
import { Properties } from './properties.js';
import { RecordingsOf } from './recordings/recordings-of.js';
import { Section } from './section.js';
import { Trail } from './trail.js';
import { type Physical, usePhysical } from './use-operators.js';
import { Window } from './window.js';
import { words } from './words.js';

export default function Partition() {
  const { id, name, opId } = useParams({ from: '/framed/apps/$id/operators/$name/partitions/$opId' });
  const query = useQuery(read('getPhysicalOperator', { params: { appid: id, opid: opId } }));
  const isGone = isClientError(query.error) && query.error.status === 404;
  return (
    <>
      <Trail appid={id} name={name} />
      {isGone ? (
        <Alert color="gray" variant="outline" title={words.gone}>
          {words.goneHint(name)}{' '}
          <Link to="/apps/$id/operators/$name" params={{ id, name }}>
            {words.toOperator(name)}
          </Link>
        </Alert>
      ) : (
        <Loaded query={query} what={words.partitionTitle(opId, name)} lines={6}>
          {(one) => <Shown key={opId} appid={id} name={name} listed={one} />}
        </Loaded>
      )}
    </>
  );
}

function Shown({
  appid,
  name,
  listed,
}: {
  readonly appid: string;
  readonly name: string;
  readonly listed: Physical;
}) {
  const { id } = listed;
  const { operators, text, receivedAt } = usePhysical(appid, name);
  const operator = operators.find((one) => one.id === id) ?? listed;
  const { data: readAs } = useQuery(readText('getPhysicalOperator', { params: { appid, opid: id } }));
  const exact = useMemo(() => exactOperator(text, 'id', id) ?? exactRecord(readAs), [text, id, readAs]);
  const title = words.partitionTitle(id, name);
  return (
    <Part title={title} beside={<Figures state={operator.status} of={operator} />}>
      <Stack gap="lg">
        <About appid={appid} operator={operator} exact={exact} />
        <Charts appid={appid} name={name} opId={id} figures={operator} receivedAt={receivedAt} />
        <Section title={words.ports}>
          <Ports appid={appid} name={name} partitions={[operator]} />
        </Section>
        <Section title={words.properties}>
          <IfMay id="getPhysicalOperatorProperties">
            <Properties appid={appid} name={name} className={operator.className} opId={id} />
          </IfMay>
        </Section>
        <RecordingsOf appid={appid} name={name} partitions={[operator]} />
        <Section title={words.counters}>
          <NamedValues
            title={words.counters}
            name={words.counter}
            value={words.value}
            entries={countersOf(exact)}
            none={words.noCounters}
          />
        </Section>
        <Section title={words.history}>
          <History appid={appid} opId={id} />
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
  readonly operator: Physical;
  readonly exact: Readonly<Record<string, unknown>>;
}) {
  const { facts } = words;
  const width = useWindowMillis(appid);
  return (
    <FactGrid>
      <Fact term={facts.class}>{operator.className}</Fact>
      <Fact term={words.container}>
        <ContainerLink appid={appid} id={operator.container} />
      </Fact>
      <Fact term={facts.host}>{operator.host ?? '–'}</Fact>
      <Fact term={facts.window}>
        <Window id={operator.currentWindowId} width={width} />
      </Fact>
      <Fact term={facts.processed}>{exactCount(textOf(exact['totalTuplesProcessed']) || undefined)}</Fact>
      <Fact term={facts.emitted}>{exactCount(textOf(exact['totalTuplesEmitted']) || undefined)}</Fact>
      <Fact term={facts.cpu}>{percent((operator.cpuPercentageMA ?? Number.NaN) / 100)}</Fact>
      <Fact term={facts.checkpoint}>{duration(operator.checkpointTimeMA)}</Fact>
    </FactGrid>
  );
}

function History({ appid, opId }: { readonly appid: string; readonly opId: string }) {
  const query = useQuery(read('getDeployHistory', { params: { appid, opid: opId } }));
  return (
    <Loaded query={query} what={words.history}>
      {({ containers }) => (
        <Table aria-label={words.history} fz="sm">
          <TableHead columns={[words.container, words.since]} />
          <Table.Tbody>
            {containers.map(({ container, startTime }) => (
              <Table.Tr key={`${container} ${startTime}`}>
                <Table.Td>
                  <ContainerLink appid={appid} id={container} />
                </Table.Td>
                <Table.Td>
                  <Moment at={startTime} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Loaded>
  );
}
