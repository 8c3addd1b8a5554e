import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { changed, read } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { Loaded } from '../../shell/loaded.js';
import { said } from '../../shell/notify.js';
import { Panel } from '../../shell/panel.js';
import { confirm } from '../../shell/question.js';
import { Groups } from './groups.js';
import { NewRole } from './new-role.js';
import { RoleMatrix } from './role-matrix.js';
import { words } from './words.js';

export default function Roles() {
  const may = useMay();
  const query = useQuery(read('listRoles', {}));
  const [isCreating, setCreating] = useState(false);
  return (
    <Stack gap="md">
      <Panel
        title={words.matrix}
        actions={
          <>
            <Do may={may('restoreDefaultRoles')} onClick={askToRestore}>
              {words.restore}
            </Do>
            <Do may={may('putRole')} variant="filled" onClick={() => setCreating(true)}>
              {words.newRole}
            </Do>
          </>
        }
      >
        <Loaded query={query} what={words.rolesTitle} lines={8}>
          {({ roles }) => <RoleMatrix roles={roles} />}
        </Loaded>
      </Panel>
      {may('getGroupMapping').ok && <Groups />}
      {isCreating && <NewRole close={() => setCreating(false)} />}
    </Stack>
  );
}

function askToRestore(): void {
  confirm({
    title: words.restoreTitle,
    text: words.restoreText,
    verb: words.restore,
    async act() {
      await client.restoreDefaultRoles();
      said(words.restored);
      await changed('listRoles', 'getProfile', 'getCapabilities');
    },
  });
}
