import { FileButton, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import '@mantine/dropzone/styles.css';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRef } from 'react';
import { useMay } from '../../gateway/capabilities.js';
import { Do } from '../../shell/do.js';
import { Page } from '../../shell/page.js';
import { ConfigPackages } from './config-packages.js';
import { ImportDialog } from './import-dialog.js';
import { PackageList } from './package-list.js';
import { UploadList } from './upload-list.js';
import { beginUpload } from './uploads.js';
import { words } from './words.js';

/** All packages that the caller may see. Files can be dropped anywhere on the page. */
export default function Packages() {
  const { q, show } = useSearch({ from: '/framed/packages' });
  const navigate = useNavigate({ from: '/packages' });
  const [isImporting, importing] = useDisclosure();
  const may = useMay();
  const mayUpload = may(show === 'configurations' ? 'uploadConfigPackage' : 'uploadPackage');
  const take = (files: readonly File[]) => {
    for (const file of files) beginUpload(file);
  };
  return (
    <Page
      title={words.title}
      actions={
        <>
          <Do may={may('listImportablePackages')} onClick={importing.open}>
            {words.import}
          </Do>
          <UploadButton may={mayUpload} onFiles={take} />
        </>
      }
    >
      <Stack gap="md">
        <Group justify="space-between" gap="sm">
          <SegmentedControl
            aria-label={words.kind}
            value={show ?? 'applications'}
            data={[
              { value: 'applications', label: words.applicationPackages },
              { value: 'configurations', label: words.configPackages },
            ]}
            onChange={(kind) =>
              void navigate({ search: kind === 'configurations' ? { show: 'configurations' } : {} })
            }
          />
          <TextInput
            data-filter
            aria-label={words.filter}
            placeholder={words.filter}
            value={q ?? ''}
            onChange={({ currentTarget: { value } }) =>
              void navigate({
                search: ({ q: _, ...others }) => (value === '' ? others : { ...others, q: value }),
                replace: true,
              })
            }
            w={280}
          />
        </Group>
        <UploadList />
        {show === 'configurations' ? <ConfigPackages q={q} /> : <PackageList q={q} />}
      </Stack>
      <Dropzone.FullScreen active={mayUpload.ok} onDrop={take} withinPortal={false}>
        <Stack align="center" justify="center" mih={240}>
          <Text fz="xl">{words.dropHere}</Text>
          <Text className="soft">{words.dropHint}</Text>
        </Stack>
      </Dropzone.FullScreen>
      <ImportDialog isOpen={isImporting} onClose={importing.close} />
    </Page>
  );
}

function UploadButton({
  may,
  onFiles,
}: {
  readonly may: ReturnType<ReturnType<typeof useMay>>;
  readonly onFiles: (files: readonly File[]) => void;
}) {
  const reset = useRef<() => void>(null);
  return (
    <FileButton
      multiple
      resetRef={reset}
      onChange={(files) => {
        onFiles(files);
        // The same file again is a change, too: it may have been built anew.
        reset.current?.();
      }}
    >
      {({ onClick }) => (
        <Do may={may} onClick={onClick} variant="filled">
          {words.upload}
        </Do>
      )}
    </FileButton>
  );
}
