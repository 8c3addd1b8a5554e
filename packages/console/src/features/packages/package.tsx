import { Button, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { both, unless, useMay } from '../../gateway/capabilities.js';
import { read } from '../../gateway/queries.js';
import { DoItem } from '../../shell/do.js';
import { Loaded } from '../../shell/loaded.js';
import { MoreMenu } from '../../shell/more-menu.js';
import { Name } from '../../shell/name.js';
import { Page } from '../../shell/page.js';
import { askToDelete, download } from './actions.js';
import { Configurations } from './configurations.js';
import { Contents } from './contents.js';
import { MergeDialog } from './merge-dialog.js';
import { Operators } from './operators.js';
import { PackagePermissions } from './package-permissions.js';
import type { PackageRef } from './rows.js';
import { type Part, parts } from './search.js';
import type { PackageMeta } from './shapes.js';
import { words } from './words.js';

const from = '/framed/packages/$owner/$name/$version';

export default function Package() {
  const ref = useParams({ from });
  const query = useQuery(read('getPackage', { params: ref, query: { includeDescription: true } }));
  return (
    <Loaded query={query} what={`${ref.name} ${ref.version}`} lines={6}>
      {(meta) => <Shown key={JSON.stringify(ref)} meta={meta} of={ref} />}
    </Loaded>
  );
}

function Shown({ meta, of }: { readonly meta: PackageMeta; readonly of: PackageRef }) {
  const { part = 'contents' } = useSearch({ from });
  const navigate = useNavigate({ from: '/packages/$owner/$name/$version' });
  const { appPackageDisplayName, appPackageDescription } = meta;
  const title = appPackageDisplayName || of.name;
  return (
    <Page
      title={`${title} ${of.version}`}
      heading={<Name tail={16}>{title}</Name>}
      beside={
        <Text size="sm" className="soft" dir="auto">
          {words.identity(of.owner, of.name, of.version)}
        </Text>
      }
      actions={<Actions meta={meta} of={of} />}
    >
      {appPackageDescription && (
        <Text size="sm" mb="md" dir="auto" maw={720}>
          {appPackageDescription}
        </Text>
      )}
      <Tabs
        value={part}
        onChange={(next) =>
          void navigate({ search: next === null || next === 'contents' ? {} : { part: next as Part } })
        }
        keepMounted={false}
      >
        <Tabs.List mb="md" aria-label={words.partsOf(title)}>
          {parts.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {words.parts[one]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="contents">
          <Contents meta={meta} of={of} />
        </Tabs.Panel>
        <Tabs.Panel value="operators">
          <Operators of={of} />
        </Tabs.Panel>
        <Tabs.Panel value="configurations">
          <Configurations meta={meta} of={of} />
        </Tabs.Panel>
        <Tabs.Panel value="permissions">
          <PackagePermissions of={of} canWrite={meta.canWrite} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Actions({ meta, of }: { readonly meta: PackageMeta; readonly of: PackageRef }) {
  const may = useMay();
  const navigate = useNavigate();
  const [isMerging, setMerging] = useState(false);
  const mayChange = unless(!meta.canWrite, words.notYours);
  return (
    <>
      <Button variant="default" onClick={() => void download(of)}>
        {words.download}
      </Button>
      <MoreMenu label={words.actionsOf(of.name)} isBesideTitle>
        <DoItem may={both(may('mergePackages'), mayChange)} onClick={() => setMerging(true)}>
          {words.merge}
        </DoItem>
        <DoItem
          may={both(may('deletePackage'), mayChange)}
          onClick={() => askToDelete(of, meta, () => navigate({ to: '/packages' }))}
          danger
        >
          {words.delete}
        </DoItem>
      </MoreMenu>
      {isMerging && <MergeDialog into={of} onClose={() => setMerging(false)} />}
    </>
  );
}
