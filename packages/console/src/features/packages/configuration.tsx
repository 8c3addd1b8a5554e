import { Group, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Code } from '../../forms/code.js';
import { both, type May, unless, useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { changed, readText } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { useDraft } from '../../shell/draft.js';
import { Failure } from '../../shell/failure.js';
import { Loaded } from '../../shell/loaded.js';
import { said } from '../../shell/notify.js';
import { askToDeleteConfiguration } from './actions.js';
import { keyOf, type PackageRef } from './rows.js';
import { words } from './words.js';

interface Props {
  readonly of: PackageRef;
  readonly name: string;
  readonly isThere: boolean;
  readonly may: May;
  readonly onDeleted: () => void;
}

/** What a new one begins with. */
const template = `<?xml version="1.0" encoding="UTF-8"?>
<configuration>
  <property>
    <name>apex.operator.NAME.prop.PROPERTY</name>
    <value>VALUE</value>
  </property>
</configuration>
`;

export default function Configuration(props: Props) {
  const { of, name, isThere } = props;
  const query = useQuery({
    ...readText('getPackageConfig', { params: { ...of, configName: name } }),
    enabled: isThere,
  });
  if (!isThere) return <Edited {...props} kept="" />;
  return (
    <Loaded query={query} what={name}>
      {(kept) => <Edited {...props} kept={kept} />}
    </Loaded>
  );
}

function Edited({ of, name, isThere, may, onDeleted, kept }: Props & { readonly kept: string }) {
  const mayDo = useMay();
  const { draft, setDraft, discard } = useDraft<string>(`configuration ${keyOf(of)} ${name}`);
  const [error, setError] = useState<Error>();
  const [isSaving, setSaving] = useState(false);
  const text = draft ?? (isThere ? kept : template);
  const save = async () => {
    setSaving(true);
    setError(undefined);
    try {
      await client.putPackageConfig({ params: { ...of, configName: name }, body: text });
      said(words.saved(name));
      await changed('getPackage', 'getPackageConfig', 'listPackageConfigs');
      discard();
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    } finally {
      setSaving(false);
    }
  };
  return (
    <Stack gap="sm">
      <Title order={2} style={{ overflowWrap: 'anywhere' }}>
        <bdi>{name}</bdi>
      </Title>
      <Code label={name} value={text} {...(may.ok ? { onChange: setDraft } : {})} minHeight={240} />
      {error && <Failure error={error} what={words.notSaved(name)} />}
      <Group gap="sm">
        <Do
          may={both(may, unless(text === kept, words.unchanged))}
          onClick={save}
          loading={isSaving}
          variant="filled"
        >
          {words.save}
        </Do>
        {draft !== undefined && draft !== kept && (
          <Do may={{ ok: true }} onClick={discard}>
            {words.discard}
          </Do>
        )}
        {isThere && (
          <Do
            may={both(mayDo('deletePackageConfig'), may)}
            onClick={() =>
              askToDeleteConfiguration(of, name, () => {
                discard();
                onDeleted();
              })
            }
          >
            {words.delete}
          </Do>
        )}
      </Group>
    </Stack>
  );
}
