import { Button, Group, Input, Modal, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { changed } from '../../gateway/queries.js';
import { Failure } from '../../shell/failure.js';
import type { PackageRef } from './rows.js';
import type { PackageMeta } from './shapes.js';
import { words } from './words.js';

/** What there is of each kind before anything is in it. */
const emptyOf = (kind: Kind) => (kind === 'sql' ? { kind, statements: [] } : { operators: [], streams: [] });

type Kind = 'operators' | 'sql';

interface Props {
  readonly meta: PackageMeta;
  readonly of: PackageRef;
  readonly onClose: () => void;
}

/** Made at once, and opened in the editor: it has to be there to be saved later. */
export function NewApplication({ meta, of, onClose }: Props) {
  const [name, setName] = useState('');
  const [error, setError] = useState<Error>();
  const [isMaking, setMaking] = useState(false);
  const navigate = useNavigate();
  // Where tables can be sampled there is SQL; somebody may still mean the other.
  const hasSql = useMay()('samplePackageApplication').ok;
  const [chosen, setKind] = useState<Kind>();
  const kind = chosen ?? (hasSql ? 'sql' : 'operators');
  const isTaken = meta.applications.some((app) => app.name === name);
  const complaint = isTaken ? words.nameTaken : name.includes('/') ? words.nameSlash : undefined;
  const make = async () => {
    setMaking(true);
    setError(undefined);
    try {
      await client.putPackageApplication({
        params: { ...of, appName: name },
        query: { errorIfExists: true },
        body: { displayName: name, ...emptyOf(kind) },
      });
      await changed('getPackage', 'listPackageApplications');
      await navigate({ to: '/packages/$owner/$name/$version/apps/$app/edit', params: { ...of, app: name } });
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
      setMaking(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={words.newApplication}>
      <Stack
        component="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (name !== '' && !complaint) void make();
        }}
      >
        <TextInput
          label={words.applicationName}
          description={words.applicationNameHint}
          value={name}
          error={complaint}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          data-autofocus
          autoComplete="off"
        />
        <div>
          <Input.Label component="div" id="kind-label">
            {words.madeOf}
          </Input.Label>
          <SegmentedControl
            aria-labelledby="kind-label"
            data={[
              { value: 'operators', label: words.ofOperators },
              { value: 'sql', label: words.ofStatements },
            ]}
            value={kind}
            onChange={(value) => setKind(value === 'sql' ? 'sql' : 'operators')}
            fullWidth
          />
        </div>
        {error && <Failure error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {words.cancel}
          </Button>
          <Button type="submit" loading={isMaking} disabled={name === '' || complaint !== undefined}>
            {words.create}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
