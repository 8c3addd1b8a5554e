import { may, type Principal } from '../../http/principal.js';
import type { Call } from '../../http/route.js';
import type { Blob } from '../../interfaces/storage.js';
import type { Access } from '../../model/acl.js';
import { Forbidden, NotFound } from '../../model/errors.js';
import type { Kept } from '../../storage/collection.js';
import { ofPresent } from '../../storage/named-blobs.js';
import type { ConfigPackageRef } from './schema.js';
import type { ConfigPackageStore, StoredConfigPackage } from './store.js';

/** They belong to who uploaded them; permissions of roles go beyond that. */
export function configAccessTo(user: Principal, owner: string): Access {
  if (user.userName === '') return 'none';
  if (user.userName === owner || may(user, 'MANAGE_OTHER_USERS_CONFIG_PACKAGES')) return 'write';
  return may(user, 'VIEW_OTHER_USERS_CONFIG_PACKAGES') ? 'read' : 'none';
}

export const labelOf = ({ user, name }: ConfigPackageRef): string => `${user}/${name}`;

/** Configuration packages as far as their callers may see them. All reject with `NotFound` for hidden ones too. */
interface ConfigPackageLookup {
  find(call: Call, ref: ConfigPackageRef): Promise<Kept<StoredConfigPackage>>;
  /** Rejects with `Forbidden` for who may only read. */
  findToChange(call: Call, ref: ConfigPackageRef): Promise<Kept<StoredConfigPackage>>;
  /** Of the present package; looks again when it was replaced in between. Whoever opened the blob closes it. */
  open(call: Call, ref: ConfigPackageRef): Promise<{ value: StoredConfigPackage; blob: Blob }>;
}

export function createConfigPackageLookup(
  store: Pick<ConfigPackageStore, 'find' | 'open'>,
): ConfigPackageLookup {
  async function find(call: Call, ref: ConfigPackageRef): Promise<Kept<StoredConfigPackage>> {
    const kept = await store.find(ref);
    if (!kept || configAccessTo(call.user, ref.user) === 'none')
      throw new NotFound('configuration package', labelOf(ref));
    return kept;
  }

  return {
    find,

    async findToChange(call, ref) {
      const kept = await find(call, ref);
      if (configAccessTo(call.user, ref.user) === 'write') return kept;
      throw new Forbidden(`The configuration package ${JSON.stringify(labelOf(ref))} is not yours to change`);
    },

    open: (call, ref) =>
      ofPresent(
        `The archive of the configuration package ${labelOf(ref)}`,
        () => find(call, ref),
        ({ value }) => value.id,
        async ({ value }) => {
          const blob = await store.open(value);
          return blob && { value, blob };
        },
      ),
  };
}
