import { Button, Checkbox, Fieldset, Group, SimpleGrid, Stack, TagsInput, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type May, useMay } from '../gateway/capabilities.js';
import { read } from '../gateway/queries.js';
import { Do } from '../shell/do.js';
import { Failure } from '../shell/failure.js';
import { permissionWords as words } from './permission-words.js';

interface Access {
  readonly roles: readonly string[];
  readonly users: readonly string[];
  readonly everyone: boolean;
}

/** Who besides the owner may read or change something. */
interface Shared {
  readonly readOnly: Access;
  readonly readWrite: Access;
}

interface SharedBody {
  readonly readOnly: { roles: string[]; users: string[]; everyone: boolean };
  readonly readWrite: { roles: string[]; users: string[]; everyone: boolean };
}

interface Props {
  readonly permissions: Shared;
  /** Of changing them. */
  readonly may: May;
  readonly save: (permissions: SharedBody) => Promise<unknown>;
}

/** Nothing is given or taken before it is saved. */
export function PermissionsEditor({ permissions, may, save }: Props) {
  const [edited, setEdited] = useState<Shared>();
  const [error, setError] = useState<Error>();
  const [isSaving, setSaving] = useState(false);
  const shown = edited ?? permissions;
  const isChanged = edited !== undefined && textOf(edited) !== textOf(permissions);
  const submit = async () => {
    setSaving(true);
    setError(undefined);
    try {
      await save(bodyOf(shown));
      setEdited(undefined);
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    } finally {
      setSaving(false);
    }
  };
  return (
    <Stack maw={960}>
      <Text size="sm" className="soft">
        {words.hint}
      </Text>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Who
          legend={words.read}
          access={shown.readOnly}
          isReadOnly={!may.ok}
          onChange={(readOnly) => setEdited({ ...shown, readOnly })}
        />
        <Who
          legend={words.write}
          access={shown.readWrite}
          isReadOnly={!may.ok}
          onChange={(readWrite) => setEdited({ ...shown, readWrite })}
        />
      </SimpleGrid>
      {error && <Failure error={error} what={words.notSaved} />}
      <Group>
        <Do
          may={may.ok && !isChanged ? { ok: false, reason: words.unchanged } : may}
          onClick={submit}
          loading={isSaving}
          variant="filled"
        >
          {words.save}
        </Do>
        {isChanged && (
          <Button variant="default" onClick={() => setEdited(undefined)}>
            {words.reset}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function Who({
  legend,
  access,
  isReadOnly,
  onChange,
}: {
  readonly legend: string;
  readonly access: Access;
  readonly isReadOnly: boolean;
  readonly onChange: (access: Access) => void;
}) {
  const may = useMay();
  const { data: users } = useQuery({ ...read('listUsers', {}), enabled: may('listUsers').ok });
  const { data: roles } = useQuery({ ...read('listRoles', {}), enabled: may('listRoles').ok });
  return (
    <Fieldset legend={legend}>
      <Stack gap="sm">
        <Checkbox
          label={words.everyone}
          checked={access.everyone}
          disabled={isReadOnly}
          onChange={({ currentTarget: { checked } }) => onChange({ ...access, everyone: checked })}
        />
        <TagsInput
          label={words.roles}
          value={[...access.roles]}
          data={roles?.roles.map(({ name }) => name) ?? []}
          readOnly={isReadOnly}
          onChange={(names) => onChange({ ...access, roles: names })}
        />
        <TagsInput
          label={words.users}
          value={[...access.users]}
          data={users?.users.map(({ userName }) => userName) ?? []}
          readOnly={isReadOnly}
          onChange={(names) => onChange({ ...access, users: names })}
        />
      </Stack>
    </Fieldset>
  );
}

const sides = ['readOnly', 'readWrite'] as const;

const textOf = (shared: Shared): string =>
  JSON.stringify(
    sides.map((side) => [
      [...shared[side].roles].sort(),
      [...shared[side].users].sort(),
      shared[side].everyone,
    ]),
  );

const bodyOf = ({ readOnly, readWrite }: Shared): SharedBody => ({
  readOnly: { ...readOnly, roles: [...readOnly.roles], users: [...readOnly.users] },
  readWrite: { ...readWrite, roles: [...readWrite.roles], users: [...readWrite.users] },
});
