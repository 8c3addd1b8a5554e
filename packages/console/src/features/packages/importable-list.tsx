import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { changed, read } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { Loaded } from '../../shell/loaded.js';
import { failed, said } from '../../shell/notify.js';
import { words } from './words.js';

/** What lies in the gateway's import folder, each with one button that takes it. */
export function ImportableList({ onImported }: { readonly onImported?: () => void }) {
  const may = useMay();
  const mayList = may('listImportablePackages');
  const query = useQuery({ ...read('listImportablePackages', {}), enabled: mayList.ok });
  const [taken, setTaken] = useState<string>();
  const take = async (file: string, name: string) => {
    setTaken(file);
    try {
      await client.importPackages({ body: { files: [file] } });
      said(words.imported(name));
      await changed('listPackages', 'getPackage');
      onImported?.();
    } catch (error) {
      failed(words.notImported(name), error);
    } finally {
      setTaken(undefined);
    }
  };
  if (!mayList.ok)
    return (
      <Text size="sm" className="soft">
        {mayList.reason}
      </Text>
    );
  return (
    <Loaded query={query} what={words.import}>
      {({ appPackages }) =>
        appPackages.length === 0 ? (
          <Text size="sm" className="soft">
            {words.noneToImport}
          </Text>
        ) : (
          <Stack gap="sm" w="100%" maw={560} ta="start">
            {appPackages.map(({ file, displayName, name, version, description }) => (
              <Group key={file} className="panel" justify="space-between" wrap="nowrap" gap="md">
                <div style={{ minWidth: 0 }}>
                  <Text fw={600} dir="auto">
                    {displayName || name} <span className="soft">{version}</span>
                  </Text>
                  <Text size="sm" className="soft" dir="auto">
                    {description || file}
                  </Text>
                </div>
                <Do
                  may={may('importPackages')}
                  onClick={() => take(file, displayName || name)}
                  loading={taken === file}
                  aria-label={words.importOne(displayName || name)}
                >
                  {words.importVerb}
                </Do>
              </Group>
            ))}
          </Stack>
        )
      }
    </Loaded>
  );
}
