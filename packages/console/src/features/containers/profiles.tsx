import { Anchor, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { duration } from '../../format/duration.js';
import { both, type May, unless, useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { type AnswerOf, read } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { Empty } from '../../shell/empty.js';
import { LoadedUnlessRefused } from '../../shell/loaded-unless-refused.js';
import { State } from '../../shell/state.js';
import { TableHead } from '../../shell/table-head.js';
import { Ago } from '../../shell/time.js';
import { isClientError } from '../../shell/words.js';
import { NewProfile } from './new-profile.js';
import { hasEnded, type Row } from './rows.js';
import { words } from './words.js';

type Profile = AnswerOf<'listProfiles'>['profiles'][number];

interface Props {
  readonly appid: string;
  readonly row: Row;
  /** `canWrite` of the application. */
  readonly canWrite: boolean | undefined;
}

/** Profiles of the whole process. A cluster that is set up without them says so where they would be. */
export function Profiles({ appid, row, canWrite }: Props) {
  const may = useMay();
  const [isOrdering, setOrdering] = useState(false);
  const id = useId();
  const runs = unless(hasEnded(row), words.hasEnded);
  const mayRead = both(may('listProfiles'), runs);
  const query = useQuery({
    ...read('listProfiles', { params: { appid, containerId: row.id } }),
    enabled: mayRead.ok,
    // No topic tells of them.
    refetchInterval: ({ state }) => !state.error && (isUnderWay(state.data?.profiles) ? 1000 : 15_000),
  });
  const mayStart = both(
    may('startProfile'),
    runs,
    unless(canWrite === false, words.readOnly),
    refusalOf(query.error),
    unless(isUnderWay(query.data?.profiles), words.profileUnderWay),
  );
  return (
    <Stack gap="sm" component="section" aria-labelledby={id}>
      <Group gap="md">
        <Title order={3} fz="md" id={id}>
          {words.profiles}
        </Title>
        <Do may={mayStart} onClick={() => setOrdering(true)} size="compact-md">
          {words.startProfile}
        </Do>
      </Group>
      {mayRead.ok ? (
        <LoadedUnlessRefused query={query} what={words.profiles}>
          {({ profiles }) =>
            profiles.length === 0 ? (
              <Empty title={words.noProfiles}>{words.noProfilesHint}</Empty>
            ) : (
              <ProfileTable appid={appid} containerId={row.id} profiles={profiles} />
            )
          }
        </LoadedUnlessRefused>
      ) : (
        <Text size="sm" className="soft">
          {mayRead.reason}
        </Text>
      )}
      {isOrdering && <NewProfile appid={appid} containerId={row.id} close={() => setOrdering(false)} />}
    </Stack>
  );
}

const isUnderWay = (profiles: readonly Profile[] = []): boolean =>
  profiles.some(({ state }) => state === 'RUNNING');

/** What can't be listed as things are can't be begun either. */
const refusalOf = (error: Error | null): May =>
  isClientError(error) && error.status === 409 ? { ok: false, reason: error.message } : { ok: true };

interface TableProps {
  readonly appid: string;
  readonly containerId: string;
  readonly profiles: readonly Profile[];
}

function ProfileTable({ appid, containerId, profiles }: TableProps) {
  const { profileColumns: columns } = words;
  return (
    <Table.ScrollContainer minWidth={560} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table aria-label={words.profiles} fz="sm">
        <TableHead
          columns={[
            columns.state,
            columns.result,
            columns.mode,
            { figure: columns.begun },
            { figure: columns.length },
          ]}
        />
        <Table.Tbody>
          {profiles.map((profile) => (
            <Line key={profile.id} appid={appid} containerId={containerId} profile={profile} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Line({ appid, containerId, profile }: Omit<TableProps, 'profiles'> & { readonly profile: Profile }) {
  const { id, state, mode, startTime, seconds, failure } = profile;
  return (
    <Table.Tr>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <State state={state} />
      </Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        {state === 'FINISHED' ? (
          <Anchor
            size="sm"
            href={client.urlOf('downloadProfile', { params: { appid, containerId, id } })}
            download
            aria-label={words.downloadProfile(id)}
          >
            {words.download}
          </Anchor>
        ) : (
          <bdi>{failure ?? ''}</bdi>
        )}
      </Table.Td>
      <Table.Td>{mode === undefined ? words.otherMode : words.modes[mode]}</Table.Td>
      <Table.Td ta="end">
        <Ago at={startTime} />
      </Table.Td>
      <Table.Td className="figure">{duration(seconds === undefined ? undefined : seconds * 1000)}</Table.Td>
    </Table.Tr>
  );
}
