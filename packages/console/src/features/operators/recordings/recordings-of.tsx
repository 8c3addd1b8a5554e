import { Button, Menu, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { both, type May, unless } from '../../../gateway/capabilities.js';
import { read } from '../../../gateway/queries.js';
import { Do, DoItem } from '../../../shell/do.js';
import { IfMay } from '../../../shell/if-may.js';
import { Loaded } from '../../../shell/loaded.js';
import { Section } from '../section.js';
import { type Physical, useMayChange } from '../use-operators.js';
import { record } from './actions.js';
import { RecordingTable } from './table.js';
import { words } from './words.js';

interface Props {
  readonly appid: string;
  readonly name: string;
  readonly partitions: readonly Physical[];
  /** One of its ports; default: all of them. */
  readonly port?: string;
}

/** What has been recorded of some partitions, and a button that begins another recording. */
export function RecordingsOf(props: Props) {
  const { appid, name, partitions, port } = props;
  return (
    <Section
      title={words.title}
      actions={<Start appid={appid} name={name} partitions={partitions} port={port} />}
    >
      <IfMay id="listApplicationRecordings">
        <Kept {...props} />
      </IfMay>
    </Section>
  );
}

function Kept({ appid, name, partitions, port }: Props) {
  const query = useQuery({
    ...read('listApplicationRecordings', { params: { appid } }),
    refetchInterval: 5000,
  });
  return (
    <Loaded query={query} what={words.title}>
      {({ recordings }) => {
        const own = recordings.filter(
          ({ operatorId, ports }) =>
            partitions.some(({ id }) => id === operatorId) &&
            (port === undefined || ports.some((one) => one.name === port)),
        );
        return own.length === 0 ? (
          <Text size="sm" className="soft">
            {words.noneHere}
          </Text>
        ) : (
          <RecordingTable appid={appid} recordings={own} nameOf={() => name} />
        );
      }}
    </Loaded>
  );
}

const isRecorded = (one: { readonly recordingStartTime?: number | undefined }): boolean =>
  (one.recordingStartTime ?? -1) > 0;

function Start({
  appid,
  name,
  partitions,
  port,
}: Omit<Props, 'port'> & { readonly port: string | undefined }) {
  const mayChange = useMayChange(appid);
  const navigate = useNavigate();
  const may = mayChange(port === undefined ? 'startOperatorRecording' : 'startPortRecording');
  const mayOf = (one: Physical): May => {
    const place = port === undefined ? one : (one.ports.find((each) => each.name === port) ?? one);
    return both(may, unless(isRecorded(place), words.isRecorded));
  };
  const start = async ({ id: opId }: Physical) => {
    const rec = await record(appid, opId, port);
    if (rec !== undefined)
      await navigate({
        to: '/apps/$id/operators/$name/partitions/$opId/recordings/$rec',
        params: { id: appid, name, opId, rec },
        search: { live: true },
      });
  };
  const running = partitions.filter(({ isUnifier }) => !isUnifier);
  const [only] = running;
  if (!only || running.length === 1 || !may.ok)
    return (
      <Do
        may={only ? mayOf(only) : { ok: false, reason: words.noPartition }}
        onClick={() => only && start(only)}
      >
        {words.record}
      </Do>
    );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default">{words.record}</Button>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflow: 'auto' }}>
        {running.map((one) => (
          <DoItem key={one.id} may={mayOf(one)} onClick={() => start(one)}>
            {words.recordOf(one.id)}
          </DoItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
