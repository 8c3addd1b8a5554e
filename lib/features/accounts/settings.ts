import { JsonText } from '../../formats/json-text.js';
import { may, type Principal } from '../../http/principal.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { Forbidden, NotFound, TooLarge } from '../../model/errors.js';
import type { Permission } from '../../model/permissions.js';
import { nextTurn } from '../../runtime/event-loop.js';
import { keyedMutex } from '../../runtime/keyed-mutex.js';
import { collection } from '../../storage/collection.js';
import { keyPart } from '../../storage/storage-keys.js';
import type { Edit } from './account-edits.js';
import type { Setting } from './schema.js';
import { createSettingPut, documentKey } from './setting-put.js';
import { SettingsUse, StoredSetting } from './stored.js';

/** `docs/decisions.md`, A setting is any JSON. Others' need a permission. */
export interface SettingService {
  list(caller: Principal, user: string): Promise<Record<string, JsonText>>;
  get(caller: Principal, user: string, key: string): Promise<{ value: JsonText }>;
  /** For the gateway itself. Resolves `undefined` when there is no such setting. */
  valueOf(user: string, key: string): Promise<unknown>;
  put(caller: Principal, user: string, key: string, setting: Setting): Promise<void>;
  /** What deletes all of a user's settings. */
  deletion(user: string): Promise<readonly Edit[]>;
}

/** Bytes of JSON. */
const maxSettingBytes = 1024 * 1024;

export function createSettings(documents: DocumentStore): SettingService {
  const settings = collection(documents, 'settings', StoredSetting);
  const uses = collection(documents, 'settings-use', SettingsUse);
  // All of one user share a count: at once they would only get in each other's way.
  const inTurn = keyedMutex();

  const put = createSettingPut(documents, { settings, uses });

  return {
    async list(caller, user) {
      requireRight(caller, user, 'VIEW_OTHER_USERS_CONFIG');
      const found: Record<string, JsonText> = Object.create(null);
      const prefix = `${keyPart(user)}/`;
      for await (const { key, value } of settings.entries({ prefix })) {
        found[key.slice(prefix.length)] = new JsonText(value.json);
      }
      return found;
    },

    async get(caller, user, key) {
      requireRight(caller, user, 'VIEW_OTHER_USERS_CONFIG');
      const kept = await settings.get(documentKey(user, key));
      if (!kept) throw new NotFound('setting', key);
      return { value: new JsonText(kept.value.json) };
    },

    async valueOf(user, key) {
      const kept = await settings.get(documentKey(user, key));
      return kept && JSON.parse(kept.value.json);
    },

    async put(caller, user, key, { value }) {
      requireRight(caller, user, 'EDIT_OTHER_USERS_CONFIG');
      // Reading and writing a large value take a while each: the event loop gets a turn between.
      await nextTurn();
      const json = value instanceof JsonText ? value.text : JSON.stringify(value);
      const bytes = Buffer.byteLength(json);
      if (bytes > maxSettingBytes) throw new TooLarge('The value of a setting', maxSettingBytes);
      await inTurn(keyPart(user), () => put(user, key, { json, bytes }));
    },

    async deletion(user) {
      const edits: Edit[] = [];
      const use = await uses.get(keyPart(user));
      if (use) edits.push({ kind: 'other', write: uses.writes.remove(use.key, { ifMatch: use.etag }) });
      for await (const { key } of settings.entries({ prefix: `${keyPart(user)}/` })) {
        edits.push({ kind: 'other', write: settings.writes.remove(key) });
      }
      return edits;
    },
  };
}

function requireRight(caller: Principal, user: string, permission: Permission): void {
  if (user !== caller.userName && !may(caller, permission)) {
    throw new Forbidden(`Settings of others need the permission ${permission}`, { permission });
  }
}
