import { Stack } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { IfMay } from '../../shell/if-may.js';
import { Panel } from '../../shell/panel.js';
import { History } from './history.js';
import { Savepoints } from './savepoints.js';
import { words } from './words.js';

/** What an application can go on from: savepoints that somebody ordered, and what its engine makes by itself. */
export default function Checkpoints() {
  const { id } = useParams({ from: '/framed/apps/$id/checkpoints' });
  return (
    <Stack>
      <Savepoints appid={id} />
      <Panel title={words.checkpoints}>
        <IfMay id="getCheckpoints">
          <History appid={id} />
        </IfMay>
      </Panel>
    </Stack>
  );
}
