import { Group, Select, Stack, Switch, Text, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { exactCount } from '../../../format/number.js';
import { read } from '../../../gateway/queries.js';
import { useWindowMillis } from '../../../gateway/use-window-millis.js';
import { Do } from '../../../shell/do.js';
import { Loaded } from '../../../shell/loaded.js';
import { Name } from '../../../shell/name.js';
import { Part } from '../../../shell/part.js';
import type { RecordingSearch } from '../search.js';
import { Trail } from '../trail.js';
import { askToRemove, askToStop, useMayRecord } from './actions.js';
import { Kept } from './kept.js';
import { Live } from './live.js';
import type { WholeRecording } from './shown.js';
import { RecordingState } from './table.js';
import { words } from './words.js';

const from = '/framed/apps/$id/operators/$name/partitions/$opId/recordings/$rec';

export default function RecordingScreen() {
  const { id, name, opId, rec } = useParams({ from });
  const query = useQuery({
    ...read('getRecording', { params: { appid: id, opid: opId, id: rec } }),
    // No topic tells how far it is.
    refetchInterval: ({ state }) => (state.data && !state.data.ended ? 2000 : false),
  });
  return (
    <>
      <Trail appid={id} name={name} />
      <Loaded query={query} what={words.heading(rec)} lines={6}>
        {(recording) => <Whole key={rec} appid={id} name={name} recording={recording} />}
      </Loaded>
    </>
  );
}

function Whole({
  appid,
  name,
  recording,
}: {
  readonly appid: string;
  readonly name: string;
  readonly recording: WholeRecording;
}) {
  const { id, operatorId, ended, ports } = recording;
  const { window, port, live } = useSearch({ from });
  const navigate = useNavigate({ from: '/apps/$id/operators/$name/partitions/$opId/recordings/$rec' });
  const show = (search: RecordingSearch) => void navigate({ search, replace: true });
  const width = useWindowMillis(appid);
  const { stop, remove } = useMayRecord(appid);
  const portName = useCallback(
    (portId: string) => ports.find((one) => one.id === portId)?.name ?? portId,
    [ports],
  );
  const source = useMemo(() => ({ appid, opId: operatorId, rec: id, port }), [appid, operatorId, id, port]);
  const ofPort = port === undefined ? {} : { port };
  const isLive = live === true && !ended;
  const leave = () => navigate({ to: '/apps/$id/operators/$name', params: { id: appid, name }, search: {} });
  return (
    <Part
      title={words.titleOf(id, name)}
      heading={<Name tail={10}>{words.heading(id)}</Name>}
      beside={
        <>
          <RecordingState ended={ended} />
          <Text size="sm" className="figure">
            {words.tuples(exactCount(recording.totalTuples))}
          </Text>
        </>
      }
      actions={
        <>
          <Do may={stop(recording)} onClick={() => askToStop(appid, recording)}>
            {words.stop}
          </Do>
          <Do may={remove(recording)} onClick={() => askToRemove(appid, recording, leave)}>
            {words.remove}
          </Do>
        </>
      }
    >
      <Stack gap="sm">
        <Group gap="lg">
          <Select
            aria-label={words.port}
            data={[
              { value: '', label: words.allPorts },
              ...ports.map((one) => ({ value: one.id, label: one.name })),
            ]}
            value={port ?? ''}
            onChange={(next) => show({ ...(live ? { live } : {}), ...(next ? { port: next } : {}) })}
            allowDeselect={false}
            w={200}
          />
          <Tooltip label={words.notLive} disabled={!ended}>
            <Switch
              label={words.live}
              checked={isLive}
              onChange={({ currentTarget }) =>
                !ended && show({ ...ofPort, ...(currentTarget.checked ? { live: true } : {}) })
              }
              {...(ended ? { 'aria-disabled': true, 'aria-description': words.notLive } : {})}
            />
          </Tooltip>
        </Group>
        {(recording.skippedTuples ?? 0) > 0 && (
          <Text size="sm" role="status">
            {words.skipped(exactCount(recording.skippedTuples))}
          </Text>
        )}
        {isLive ? (
          <Live appid={appid} recording={recording} port={port} portName={portName} width={width} />
        ) : (
          <Kept
            recording={recording}
            source={source}
            width={width}
            portName={portName}
            window={window}
            onWindow={(next) => show({ ...ofPort, window: next })}
          />
        )}
      </Stack>
    </Part>
  );
}
