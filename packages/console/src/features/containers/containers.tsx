import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { read } from '../../gateway/queries.js';
import { Empty } from '../../shell/empty.js';
import { IfMay } from '../../shell/if-may.js';
import { Loaded } from '../../shell/loaded.js';
import { Part } from '../../shell/part.js';
import { useMayKill } from './actions.js';
import { ContainerTable } from './container-table.js';
import { Loggers } from './loggers.js';
import { useContainers } from './use-containers.js';
import { words } from './words.js';

/** Rows that are drawn at first: an application that lives for years has lost many a container. */
const step = 100;

export default function Containers() {
  const { id } = useParams({ from: '/framed/apps/$id/containers' });
  const { query, rows } = useContainers(id);
  const { data: app } = useQuery(read('getApplication', { params: { appid: id } }));
  const mayKill = useMayKill(app?.canWrite);
  const [most, setMost] = useState(step);
  return (
    <Part title={words.title}>
      <Stack gap="lg">
        <Loaded query={query} what={words.title} lines={4}>
          {() =>
            rows.length === 0 ? (
              <Empty title={words.none}>{words.noneHint}</Empty>
            ) : (
              <>
                <ContainerTable appid={id} rows={rows.slice(0, most)} mayKill={mayKill} />
                {rows.length > most && (
                  <Group>
                    <Button variant="default" onClick={() => setMost(most + step)}>
                      {words.showMore(Math.min(step, rows.length - most))}
                    </Button>
                  </Group>
                )}
              </>
            )
          }
        </Loaded>
        <IfMay id="listLoggers">
          <Loggers appid={id} canWrite={app?.canWrite} />
        </IfMay>
      </Stack>
    </Part>
  );
}
