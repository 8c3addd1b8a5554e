import t from 'tap';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import { openAccountStore } from '../../../../lib/features/accounts/account-store.js';
import { StorageFailed } from '../../../../lib/model/errors.js';
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
