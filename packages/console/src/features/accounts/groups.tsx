import { ActionIcon, Button, Group, MultiSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { changed, read } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { useDraft } from '../../shell/draft.js';
import { Failure } from '../../shell/failure.js';
import { Loaded } from '../../shell/loaded.js';
import { said } from '../../shell/notify.js';
import { Panel } from '../../shell/panel.js';
import { useWork } from '../../shell/use-work.js';
import { type GroupRow, mappingOf, rowsOf } from './group-rows.js';
import { words } from './words.js';

/** Which groups of a directory have which roles here. */
export function Groups() {
  const query = useQuery(read('getGroupMapping', {}));
  return (
    <Panel title={words.groups}>
      <Text size="sm" className="soft">
        {words.groupsHint}
      </Text>
      <Loaded query={query} what={words.groups}>
        {({ groupMapping }) => <Mapping kept={rowsOf(groupMapping)} />}
      </Loaded>
    </Panel>
  );
}

function Mapping({ kept }: { readonly kept: readonly GroupRow[] }) {
  const may = useMay();
  const { data } = useQuery(read('listRoles', {}));
  const { draft, setDraft, discard } = useDraft<readonly GroupRow[]>('groups');
  const { isWorking, error, run } = useWork();
  const rows = draft ?? kept;
  const roles = (data?.roles ?? []).map(({ name }) => name);
  const put = (index: number, row: GroupRow) =>
    setDraft(rows.map((before, place) => (place === index ? row : before)));
  const save = () =>
    run(async () => {
      await client.putGroupMapping({ body: mappingOf(rows) });
      await changed('getGroupMapping', 'getAuthConfig', 'getProfile', 'getCapabilities');
      discard();
      said(words.groupsSaved);
    });
  return (
    <Stack gap="sm">
      {rows.length === 0 && <Text size="sm">{words.noGroups}</Text>}
      {rows.map((row, index) => (
        <Group key={row.key} gap="sm" align="flex-start">
          <TextInput
            aria-label={words.groupName(index + 1)}
            placeholder={words.group}
            value={row.group}
            onChange={({ currentTarget: { value } }) => put(index, { ...row, group: value })}
            w={280}
          />
          <MultiSelect
            aria-label={words.groupRoles(index + 1)}
            placeholder={row.roles.length === 0 ? words.roles : ''}
            data={roles}
            searchable
            value={[...row.roles]}
            onChange={(chosen) => put(index, { ...row, roles: chosen })}
            flex={1}
            miw={200}
          />
          <ActionIcon
            size="input-sm"
            variant="subtle"
            color="gray"
            c="var(--mantine-color-text)"
            aria-label={words.removeGroup(row.group)}
            onClick={() => setDraft(rows.filter((_, place) => place !== index))}
          >
            ✕
          </ActionIcon>
        </Group>
      ))}
      {error && <Failure error={error} />}
      <Group gap="sm">
        <Do
          may={may('putGroupMapping')}
          onClick={() => setDraft([...rows, { key: crypto.randomUUID(), group: '', roles: [] }])}
        >
          {words.addGroup}
        </Do>
        {draft && (
          <>
            <Button onClick={() => void save()} loading={isWorking}>
              {words.save}
            </Button>
            <Button variant="default" onClick={discard}>
              {words.discard}
            </Button>
          </>
        )}
      </Group>
    </Stack>
  );
}
