import { Button, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { read } from '../../gateway/queries.js';
import { Do, DoItem } from '../../shell/do.js';
import { Empty } from '../../shell/empty.js';
import { Loaded } from '../../shell/loaded.js';
import { MoreMenu } from '../../shell/more-menu.js';
import { Name } from '../../shell/name.js';
import { Page } from '../../shell/page.js';
import { State } from '../../shell/state.js';
import { Since } from '../../shell/time.js';
import {
  askToDelete,
  askToStop,
  openPage,
  type Service as ServiceAnswer,
  start,
  useServiceActions,
} from './actions.js';
import { ServiceFacts, ServiceValues } from './service-facts.js';
import { ServiceForm } from './service-form.js';
import { words } from './words.js';

export default function Service() {
  const { name } = useSearch({ from: '/framed/services/detail' });
  const query = useQuery({
    ...read('getService', { params: { name } }),
    enabled: name !== '',
    refetchInterval: 3000,
  });
  if (name === '')
    return (
      <Page title={words.title}>
        <Empty
          title={words.noName}
          action={
            <Button component={Link} to="/services">
              {words.back}
            </Button>
          }
        />
      </Page>
    );
  return (
    <Loaded query={query} what={name} lines={4}>
      {(service) => <Shown service={service} />}
    </Loaded>
  );
}

function Shown({ service }: { readonly service: ServiceAnswer }) {
  const navigate = useNavigate();
  const may = useServiceActions()(service);
  const [isChanging, setChanging] = useState(false);
  const isUp = service.state === 'RUNNING' || service.state === 'STARTING';
  return (
    <Page
      title={service.name}
      heading={<Name>{service.name}</Name>}
      beside={
        <>
          <State state={service.state} />
          {service.startedTime > 0 && (
            <Text size="sm" component="span">
              <Since at={service.startedTime} />
            </Text>
          )}
        </>
      }
      actions={
        <>
          <Do may={may.open} onClick={() => openPage(service)}>
            {words.open}
          </Do>
          {isUp ? (
            <Do may={may.stop} onClick={() => askToStop(service)}>
              {words.stop}
            </Do>
          ) : (
            <Do may={may.start} onClick={() => start(service)}>
              {words.start}
            </Do>
          )}
          <Do may={may.change} onClick={() => setChanging(true)}>
            {words.change}
          </Do>
          <MoreMenu label={words.actionsOf(service.name)} isBesideTitle>
            <DoItem
              may={may.remove}
              onClick={() => askToDelete(service, () => void navigate({ to: '/services' }))}
              danger
            >
              {words.delete}
            </DoItem>
          </MoreMenu>
        </>
      }
    >
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <ServiceFacts service={service} />
        <ServiceValues service={service} />
      </SimpleGrid>
      {isChanging && <ServiceForm service={service} close={() => setChanging(false)} />}
    </Page>
  );
}
