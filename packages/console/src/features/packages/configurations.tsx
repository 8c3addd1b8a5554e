import { Button, Grid, Group, NavLink, Stack, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { both, unless, useMay } from '../../gateway/capabilities.js';
import { Do } from '../../shell/do.js';
import { Empty } from '../../shell/empty.js';
import { Placeholder } from '../../shell/loaded.js';
import { Name } from '../../shell/name.js';
import type { PackageRef } from './rows.js';
import type { PackageMeta } from './shapes.js';
import { words } from './words.js';

/** With the editor, which is large. */
const Configuration = lazy(() => import('./configuration.js'));

interface Props {
  readonly meta: PackageMeta;
  readonly of: PackageRef;
}

/** Files of properties inside of the package, one of which a launch may choose. */
export function Configurations({ meta, of }: Props) {
  const { open } = useSearch({ from: '/framed/packages/$owner/$name/$version' });
  const navigate = useNavigate({ from: '/packages/$owner/$name/$version' });
  const may = useMay();
  const [name, setName] = useState<string>();
  const mayChange = both(may('putPackageConfig'), unless(!meta.canWrite, words.notYours));
  const chosen = open ?? meta.configs[0];
  const show = (config: string | undefined) =>
    void navigate({
      search: { part: 'configurations', ...(config === undefined ? {} : { open: config }) },
    });
  return (
    <Grid>
      <Grid.Col span={{ base: 12, sm: 4 }}>
        <Stack gap="sm">
          {name === undefined ? (
            <Group>
              <Do may={mayChange} onClick={() => setName('')}>
                {words.newConfiguration}
              </Do>
            </Group>
          ) : (
            <Group
              component="form"
              gap="sm"
              align="end"
              onSubmit={(event) => {
                event.preventDefault();
                if (name === '') return;
                show(/\.xml$/i.test(name) ? name : `${name}.xml`);
                setName(undefined);
              }}
            >
              <TextInput
                label={words.configurationName}
                value={name}
                onChange={({ currentTarget }) => setName(currentTarget.value)}
                data-autofocus
                autoComplete="off"
              />
              <Button type="submit" disabled={name === ''}>
                {words.create}
              </Button>
            </Group>
          )}
          <nav aria-label={words.parts.configurations}>
            {meta.configs.map((config) => (
              <NavLink
                key={config}
                component="button"
                label={<Name tail={12}>{config}</Name>}
                active={config === chosen}
                aria-pressed={config === chosen}
                onClick={() => show(config)}
              />
            ))}
          </nav>
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, sm: 8 }}>
        {chosen === undefined ? (
          <Empty title={words.noConfiguration}>{words.noConfigurationHint}</Empty>
        ) : (
          <Suspense fallback={<Placeholder />}>
            <Configuration
              key={chosen}
              of={of}
              name={chosen}
              isThere={meta.configs.includes(chosen)}
              may={mayChange}
              onDeleted={() => show(undefined)}
            />
          </Suspense>
        )}
      </Grid.Col>
    </Grid>
  );
}
