import { useQuery } from '@tanstack/react-query';
import { PermissionsEditor } from '../../forms/permissions.js';
import { both, unless, useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { changed, read } from '../../gateway/queries.js';
import { Loaded } from '../../shell/loaded.js';
import { said } from '../../shell/notify.js';
import type { PackageRef } from './rows.js';
import { words } from './words.js';

/** Of all versions of a package together. */
export function PackagePermissions({
  of: { owner, name },
  canWrite,
}: {
  readonly of: PackageRef;
  readonly canWrite: boolean;
}) {
  const params = { owner, name };
  const may = useMay();
  const query = useQuery(read('getPackagePermissions', { params }));
  return (
    <Loaded query={query} what={words.parts.permissions}>
      {(permissions) => (
        <PermissionsEditor
          permissions={permissions}
          may={both(may('putPackagePermissions'), unless(!canWrite, words.notYours))}
          save={async (body) => {
            await client.putPackagePermissions({ params, body });
            said(words.permissionsSaved);
            await changed('getPackagePermissions');
          }}
        />
      )}
    </Loaded>
  );
}
