import { Alert, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { read } from '../../gateway/queries.js';
import { useTopic } from '../../gateway/use-topic.js';
import { Do } from '../../shell/do.js';
import { Loaded } from '../../shell/loaded.js';
import { Name } from '../../shell/name.js';
import { Part } from '../../shell/part.js';
import { State } from '../../shell/state.js';
import { askToKill, useMayKill } from './actions.js';
import { Charts } from './charts.js';
import { Facts } from './facts.js';
import { Logs } from './logs.js';
import { Profiles } from './profiles.js';
import { hasEnded, type Row } from './rows.js';
import { Threads } from './threads.js';
import { words } from './words.js';

export default function Container() {
  const { id, cid } = useParams({ from: '/framed/apps/$id/containers/$cid' });
  const query = useQuery(read('getContainer', { params: { appid: id, containerId: cid } }));
  return (
    <Loaded query={query} what={cid} lines={6}>
      {(row) => <Shown key={cid} appid={id} listed={row} />}
    </Loaded>
  );
}

function Shown({ appid, listed }: { readonly appid: string; readonly listed: Row }) {
  const { id } = listed;
  const live = useTopic(`applications.${appid}.containers`);
  const now = live?.data.containers.find((one) => one.id === id);
  // What has ended once does not run again: a frame may be older.
  const row: Row = now && !hasEnded(listed) ? now : listed;
  const { data: app } = useQuery(read('getApplication', { params: { appid } }));
  const mayKill = useMayKill(app?.canWrite);
  return (
    <Part
      title={words.titleOf(id)}
      heading={<Name tail={12}>{id}</Name>}
      beside={<State state={row.state} />}
      actions={
        <Do may={mayKill(row)} onClick={() => askToKill(appid, row)}>
          {words.kill}
        </Do>
      }
    >
      <Stack gap="lg">
        {hasEnded(row) && (
          <Alert variant="outline" color="gray">
            {words.replaced}{' '}
            <Link to="/apps/$id/containers" params={{ id: appid }}>
              {words.toList}
            </Link>
          </Alert>
        )}
        <Facts row={row} />
        <Charts appid={appid} row={row} receivedAt={live?.receivedAt} />
        <Logs appid={appid} containerId={id} />
        <Threads appid={appid} row={row} />
        <Profiles appid={appid} row={row} canWrite={app?.canWrite} />
      </Stack>
    </Part>
  );
}
