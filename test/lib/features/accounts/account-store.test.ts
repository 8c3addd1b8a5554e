import t from 'tap';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import { rolesInForce } from '../../../../lib/features/accounts/account-documents.js';
import { openAccountStore } from '../../../../lib/features/accounts/account-store.js';
import { StorageFailed } from '../../../../lib/model/errors.js';
import { adminRole, allPermissions, defaultRoles } from '../../../../lib/model/permissions.js';
import { loggerInto } from '../../../helpers/gateway.js';

t.test('a change that failed, and was made all the same, is what the next one begins with', async (t) => {
  const { documents } = memoryStorage();
  let isLost = false;
  const store = await openAccountStore(
    {
      ...documents,
      async write(batch) {
        const etags = await documents.write(batch);
        if (isLost) throw new StorageFailed('Whether it was made shows when the disk is well');
        return etags;
      },
    },
    loggerInto([]),
  );
  const put = (permissions: string[]) =>
    store.change(() => [{ kind: 'role', name: 'night', role: { name: 'night', permissions } }]);
  await put(['VIEW_LOGS']);
  isLost = true;
  await t.rejects(put([]), { code: 'STORAGE_FAILED' });
  isLost = false;
  t.strictSame([...(store.roles.get('night') ?? [])], ['VIEW_LOGS'], 'nobody was told that it is so');
  let seen: string[] | undefined;
  await store.change(() => {
    seen = [...(store.roles.get('night') ?? [])];
    return [];
  });
  t.strictSame(seen, []);
});

const kept = (name: string, permissions?: readonly string[]) => ({
  key: name,
  value: permissions ? { name, permissions: [...permissions] } : { name, removed: true as const },
});
const shipped = Object.keys(defaultRoles).filter((name) => name !== adminRole);

t.test('what roles are good for: the shipped ones, and what is kept of them', async (t) => {
  const [some = '', other = ''] = shipped;
  const plain = rolesInForce([], new Set());
  t.strictSame([...plain.keys()].toSorted(), [...new Set([...shipped, adminRole])].toSorted());
  t.strictSame([...(plain.get(some) ?? [])], [...(defaultRoles[some] ?? [])]);
  t.equal(plain.get(adminRole)?.size, allPermissions.length);

  const changed = rolesInForce([kept(some, ['VIEW_LOGS', 'FROM_TOMORROW']), kept(other)], new Set());
  t.strictSame(
    [...(changed.get(some) ?? [])],
    ['VIEW_LOGS'],
    'what this version does not know counts for nothing',
  );
  t.notOk(changed.has(other), 'removed');

  const damaged = rolesInForce([kept(adminRole, [])], new Set([some]));
  t.equal(damaged.get(some)?.size, 0, 'nobody knows how it was changed');
  t.equal(damaged.get(adminRole)?.size, allPermissions.length, 'always everything');
});
