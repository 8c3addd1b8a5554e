import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { PermissionsEditor } from '../../forms/permissions.js';
import { both, unless, useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { changed, read } from '../../gateway/queries.js';
import { Loaded } from '../../shell/loaded.js';
import { Name } from '../../shell/name.js';
import { said } from '../../shell/notify.js';
import { words } from './words.js';

type Body = Parameters<ComponentProps<typeof PermissionsEditor>['save']>[0];

/** Who besides its owner may see or change an application. */
export default function Permissions() {
  const { id } = useParams({ from: '/framed/apps/$id/permissions' });
  const params = { appid: id };
  const may = useMay();
  const { data: app } = useQuery(read('getApplication', { params }));
  const query = useQuery(read('getApplicationPermissions', { params }));
  const save = async (body: Body) => {
    await client.putApplicationPermissions({ params, body });
    await changed('getApplicationPermissions', 'getApplication');
    said(words.saved);
  };
  return (
    <Loaded query={query} what={words.title}>
      {(permissions) => (
        <Stack>
          {app && (
            <Text size="sm">
              {words.owner}: <Name>{app.user}</Name>
            </Text>
          )}
          <PermissionsEditor
            permissions={permissions}
            may={both(may('putApplicationPermissions'), unless(app?.canWrite === false, words.readOnly))}
            save={save}
          />
        </Stack>
      )}
    </Loaded>
  );
}
