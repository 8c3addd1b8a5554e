import { Anchor, Button, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { megabytes } from '../../format/bytes.js';
import { useMay } from '../../gateway/capabilities.js';
import { read } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { Empty } from '../../shell/empty.js';
import { Loaded } from '../../shell/loaded.js';
import { Name } from '../../shell/name.js';
import { Page } from '../../shell/page.js';
import { State } from '../../shell/state.js';
import { TableHead } from '../../shell/table-head.js';
import { Since } from '../../shell/time.js';
import type { Service } from './actions.js';
import { ServiceForm } from './service-form.js';
import { ServiceMenu } from './service-menu.js';
import { words } from './words.js';

const Install = lazy(() => import('./install.js'));

export default function Services() {
  const may = useMay();
  // No topic tells of services.
  const query = useQuery({ ...read('listServices', {}), refetchInterval: 3000 });
  const [opened, setOpened] = useState<'create' | 'install'>();
  const close = () => setOpened(undefined);
  return (
    <Page
      title={words.title}
      actions={
        <>
          <Do may={may('installServices')} onClick={() => setOpened('install')}>
            {words.install}
          </Do>
          <Do may={may('putService')} variant="filled" onClick={() => setOpened('create')}>
            {words.create}
          </Do>
        </>
      }
    >
      <Loaded query={query} what={words.title}>
        {({ services }) =>
          services.length === 0 ? (
            <Empty
              title={words.none}
              action={
                may('putService').ok && <Button onClick={() => setOpened('create')}>{words.create}</Button>
              }
            >
              {words.noneHint}
            </Empty>
          ) : (
            <ServiceTable services={services} />
          )
        }
      </Loaded>
      {opened === 'create' && <ServiceForm close={close} />}
      {opened === 'install' && (
        <Suspense>
          <Install close={close} />
        </Suspense>
      )}
    </Page>
  );
}

function ServiceTable({ services }: { readonly services: readonly Service[] }) {
  const { columns } = words;
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table aria-label={words.title} verticalSpacing="xs" fz="sm">
        <TableHead
          columns={[
            columns.state,
            columns.name,
            columns.kind,
            { figure: columns.memory },
            { figure: columns.up },
            { unseen: columns.actions },
          ]}
        />
        <Table.Tbody>
          {services.map((service) => (
            <Table.Tr key={service.name}>
              <Table.Td>
                <State state={service.state} />
              </Table.Td>
              <Table.Td>
                <Anchor
                  size="sm"
                  renderRoot={(props) => (
                    <Link {...props} to="/services/detail" search={{ name: service.name }} />
                  )}
                >
                  <Name>{service.name}</Name>
                </Anchor>
                {service.stateDetail && (
                  <Text size="xs" className="soft" lineClamp={2}>
                    {service.stateDetail}
                  </Text>
                )}
              </Table.Td>
              <Table.Td>{words.kinds[service.type]}</Table.Td>
              <Table.Td className="figure">{megabytes(service.memoryMB || undefined)}</Table.Td>
              <Table.Td ta="end">
                <Since at={service.startedTime} />
              </Table.Td>
              <Table.Td ta="end">
                <ServiceMenu service={service} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
