import { Group, List, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { both, unless, useMay } from '../../gateway/capabilities.js';
import { Do } from '../../shell/do.js';
import { Empty } from '../../shell/empty.js';
import { ButtonLink } from '../../shell/links.js';
import { Name } from '../../shell/name.js';
import { Remark } from '../../shell/remark.js';
import { Moment } from '../../shell/time.js';
import { askToDeleteApplication } from './actions.js';
import { NewApplication } from './new-application.js';
import type { PackageRef } from './rows.js';
import type { PackageApp, PackageMeta } from './shapes.js';
import { words } from './words.js';

interface Props {
  readonly meta: PackageMeta;
  readonly of: PackageRef;
}

/** What can be launched, then what else is in it. */
export function Contents({ meta, of }: Props) {
  const may = useMay();
  const [isNaming, setNaming] = useState(false);
  const mayAdd = both(may('putPackageApplication'), unless(!meta.canWrite, words.notYours));
  return (
    <Stack gap="lg">
      <section aria-labelledby="applications-title">
        <Group justify="space-between" mb="sm">
          <Title order={2} id="applications-title">
            {words.applications}
          </Title>
          <Do may={mayAdd} onClick={() => setNaming(true)}>
            {words.newApplication}
          </Do>
        </Group>
        {meta.applications.length === 0 ? (
          <Empty title={words.noApplication}>{words.noApplicationHint}</Empty>
        ) : (
          <Stack gap="sm">
            {meta.applications.map((app) => (
              <Application key={app.name} app={app} of={of} canWrite={meta.canWrite} />
            ))}
          </Stack>
        )}
      </section>
      <Files meta={meta} />
      {isNaming && <NewApplication meta={meta} of={of} onClose={() => setNaming(false)} />}
    </Stack>
  );
}

function Application({
  app,
  of,
  canWrite,
}: {
  readonly app: PackageApp;
  readonly of: PackageRef;
  readonly canWrite: boolean;
}) {
  const may = useMay();
  const { name, displayName, type, error } = app;
  const params = { ...of, app: name };
  const mayLaunch = may('launchPackageApplication');
  return (
    <Group className="panel" justify="space-between" gap="md">
      <div style={{ minWidth: 0, flex: '1 1 240px' }}>
        <Text fw={600} component="h3">
          <Name tail={16}>{displayName}</Name>
        </Text>
        <Text size="sm" className="soft">
          {words.kindOfApplication(name, type)}
        </Text>
        {error && (
          <Text size="sm" dir="auto" style={{ overflowWrap: 'anywhere' }}>
            <Remark kind="failed">{words.cannotRun}</Remark>: {error}
          </Text>
        )}
      </div>
      <Group gap="sm">
        {type === 'json' && (
          <ButtonLink
            to="/packages/$owner/$name/$version/apps/$app/edit"
            params={params}
            variant="default"
            aria-label={words.editOne(displayName)}
          >
            {canWrite ? words.edit : words.look}
          </ButtonLink>
        )}
        {type !== 'class' && (
          <Do
            may={both(may('deletePackageApplication'), unless(!canWrite, words.notYours))}
            onClick={() => askToDeleteApplication(of, name)}
            aria-label={words.deleteOne(displayName)}
          >
            {words.delete}
          </Do>
        )}
        {mayLaunch.ok && error === undefined ? (
          <ButtonLink
            to="/packages/$owner/$name/$version/apps/$app/launch"
            params={params}
            aria-label={words.launchOne(displayName)}
          >
            {words.launch}
          </ButtonLink>
        ) : (
          <Do
            may={both(mayLaunch, unless(error !== undefined, words.cannotRunReason))}
            onClick={() => undefined}
            aria-label={words.launchOne(displayName)}
          >
            {words.launch}
          </Do>
        )}
      </Group>
    </Group>
  );
}

function Files({ meta }: { readonly meta: PackageMeta }) {
  const lists: readonly (readonly [string, readonly string[]])[] = [
    [words.classPath, meta.classPath],
    [words.jars, meta.appJars],
    [words.definitions, [...meta.appJsonFiles, ...meta.appPropertiesFiles]],
  ];
  return (
    <section aria-labelledby="about-title">
      <Title order={2} mb="sm" id="about-title">
        {words.about}
      </Title>
      <Table variant="vertical" layout="fixed" maw={720}>
        <Table.Tbody>
          <Row label={words.changedAt}>
            <Moment at={meta.modificationTime} />
          </Row>
          {meta.engineVersion && <Row label={words.engineVersion}>{meta.engineVersion}</Row>}
          {meta.appPackageGroupId && <Row label={words.group}>{meta.appPackageGroupId}</Row>}
          {lists
            .filter(([, files]) => files.length > 0)
            .map(([label, files]) => (
              <Row key={label} label={label}>
                <List size="sm" listStyleType="none">
                  {files.map((file) => (
                    <List.Item key={file} className="mono">
                      {file}
                    </List.Item>
                  ))}
                </List>
              </Row>
            ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

const Row = ({ label, children }: { readonly label: string; readonly children: React.ReactNode }) => (
  <Table.Tr>
    <Table.Th w={160}>{label}</Table.Th>
    <Table.Td style={{ overflowWrap: 'anywhere' }}>{children}</Table.Td>
  </Table.Tr>
);
