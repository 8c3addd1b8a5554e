import { Button, Checkbox, Group, List, Modal, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../gateway/client.js';
import { changed, read } from '../../gateway/queries.js';
import { Failure } from '../../shell/failure.js';
import { Loaded } from '../../shell/loaded.js';
import { said } from '../../shell/notify.js';
import { keyOf, type PackageRef, type Row, refOf, shownRows } from './rows.js';
import { words } from './words.js';

interface Props {
  readonly into: PackageRef;
  readonly onClose: () => void;
}

export function MergeDialog({ into, onClose }: Props) {
  const query = useQuery(read('listPackages', {}));
  return (
    <Modal opened onClose={onClose} title={words.mergeTitle(`${into.name} ${into.version}`)} size="lg">
      <Loaded query={query} what={words.title}>
        {({ appPackages }) => <Form into={into} onClose={onClose} all={appPackages} />}
      </Loaded>
    </Modal>
  );
}

function Form({ into, onClose, all }: Props & { readonly all: readonly Row[] }) {
  const refs = shownRows(all).map(refOf);
  const others = refs.filter((ref) => keyOf(ref) !== keyOf(into));
  const [chosen, setChosen] = useState<string | null>(null);
  const [isReplacing, setReplacing] = useState(false);
  const [error, setError] = useState<Error>();
  const [isMerging, setMerging] = useState(false);
  const source = others.find((ref) => keyOf(ref) === chosen);
  const merge = async ({ owner, name, version }: PackageRef) => {
    setMerging(true);
    setError(undefined);
    try {
      await client.mergePackages({
        params: { user: into.owner, appPackageName: into.name, appPackageVersion: into.version },
        body: { user: owner, name, version, replaceExisting: isReplacing },
      });
      said(words.merged(`${name} ${version}`, `${into.name} ${into.version}`));
      await changed('getPackage', 'listPackageConfigs', 'listPackageApplications', 'getPackageApplication');
      onClose();
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
      setMerging(false);
    }
  };
  return (
    <Stack>
      <Select
        label={words.mergeSource}
        description={words.mergeSourceHint}
        data={others.map((ref) => ({
          value: keyOf(ref),
          label: words.identity(ref.owner, ref.name, ref.version),
        }))}
        value={chosen}
        onChange={setChosen}
        searchable
        nothingFoundMessage={words.noMatch}
      />
      <Checkbox
        label={words.mergeReplaces}
        checked={isReplacing}
        onChange={({ currentTarget }) => setReplacing(currentTarget.checked)}
      />
      <Text size="sm" fw={600}>
        {words.whatHappens}
      </Text>
      <List size="sm">
        {(isReplacing ? words.mergeReplacing : words.mergeAdding).map((line) => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
      {error && <Failure error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {words.cancel}
        </Button>
        <Button loading={isMerging} disabled={!source} onClick={() => source && void merge(source)}>
          {words.merge}
        </Button>
      </Group>
    </Stack>
  );
}
