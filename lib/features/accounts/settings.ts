import { JsonText } from '../../formats/json-text.js';
import { may, type Principal } from '../../http/principal.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import {
  BadRequest,
  Conflict,
  Forbidden,
  NotFound,
  PreconditionFailed,
  TooLarge,
} from '../../model/errors.js';
import type { Permission } from '../../model/permissions.js';
import { nextTurn } from '../../runtime/event-loop.js';
import { keyedMutex } from '../../runtime/keyed-mutex.js';
import { setNewest } from '../../runtime/lru.js';
import { collection } from '../../storage/collection.js';
import type { Edit } from './account-edits.js';
import type { Setting } from './schema.js';
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
const maxKeys = 1000;
/** Bytes of JSON of all settings of one user: what `list` holds in memory at once. */
const maxUserBytes = 16 * 1024 * 1024;
/** Bytes of UTF-8; with the user's name it must fit a key of the storage. */
const maxDocumentKeyBytes = 512;
const maxAttempts = 20;
/** Users, and settings, of which is known what was written last. */
const maxKnown = 1000;

/** `etag`: of the document; `null`: there is none. */
interface KnownUse extends SettingsUse {
  readonly etag: string | null;
}

interface KnownSetting {
  readonly bytes: number;
  readonly etag: string | null;
}

export function createSettings(documents: DocumentStore): SettingService {
  const settings = collection(documents, 'settings', StoredSetting);
  const uses = collection(documents, 'settings-use', SettingsUse);
  // All of one user share a count: at once they would only get in each other's way.
  const inTurn = keyedMutex();

  // What was written last, for the storage says when it does not hold any more: mostly the same few settings are put again.
  const knownUses = new Map<string, KnownUse>();
  const knownSettings = new Map<string, KnownSetting>();

  async function useOf(user: string): Promise<KnownUse> {
    const kept = await uses.get(user);
    return { keys: kept?.value.keys ?? 0, bytes: kept?.value.bytes ?? 0, etag: kept?.etag ?? null };
  }

  async function settingAt(at: string): Promise<KnownSetting> {
    const kept = await settings.get(at);
    return kept ? { bytes: sizeOf(kept.value.json), etag: kept.etag } : { bytes: 0, etag: null };
  }

  /** Returns whether there was something. */
  const forget = (of: string, at: string): boolean => {
    const wasKnown = knownUses.delete(of);
    return knownSettings.delete(at) || wasKnown;
  };

  async function tryPut(user: string, key: string, json: string): Promise<void> {
    const [of, at] = [folded(user), documentKey(user, key)];
    const use = knownUses.get(of) ?? (await useOf(of));
    const before = knownSettings.get(at) ?? (await settingAt(at));
    const bytes = sizeOf(json);
    const next = {
      keys: use.keys + (before.etag === null ? 1 : 0),
      bytes: use.bytes + bytes - before.bytes,
    };
    const isTooMuch = next.keys > maxKeys || next.bytes > maxUserBytes;
    // It may be less by now.
    if (forget(of, at) && isTooMuch) return tryPut(user, key, json);
    if (next.keys > maxKeys) throw new Conflict('LIMIT_REACHED', `${user} has ${maxKeys} settings already`);
    if (next.bytes > maxUserBytes) throw new TooLarge(`All settings of ${user} together`, maxUserBytes);
    const [ofUse, ofSetting] = await documents.write([
      uses.writes.put(of, next, { ifMatch: use.etag }),
      settings.writes.put(at, { json }, { ifMatch: before.etag }),
    ]);
    if (ofUse !== undefined) setNewest(knownUses, of, { ...next, etag: ofUse }, maxKnown);
    if (ofSetting !== undefined) setNewest(knownSettings, at, { bytes, etag: ofSetting }, maxKnown);
  }

  /** The user may be deleted meanwhile. */
  async function putAgain(user: string, key: string, json: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await tryPut(user, key, json);
      } catch (error) {
        if (!(error instanceof PreconditionFailed) || attempt === maxAttempts) throw error;
      }
    }
  }

  return {
    async list(caller, user) {
      requireRight(caller, user, 'VIEW_OTHER_USERS_CONFIG');
      const found: Record<string, JsonText> = Object.create(null);
      const prefix = `${folded(user)}/`;
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
      if (sizeOf(json) > maxSettingBytes) throw new TooLarge('The value of a setting', maxSettingBytes);
      await inTurn(folded(user), () => putAgain(user, key, json));
    },

    async deletion(user) {
      const edits: Edit[] = [];
      const use = await uses.get(folded(user));
      if (use) edits.push({ kind: 'other', write: uses.writes.remove(use.key, { ifMatch: use.etag }) });
      for await (const { key } of settings.entries({ prefix: `${folded(user)}/` })) {
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

/** Names that a host brings may hold slashes; the first one in a document's key ends the name. */
const folded = (user: string): string => user.replace(/%/g, '%25').replace(/\//g, '%2F');

function documentKey(user: string, key: string): string {
  const at = `${folded(user)}/${key}`;
  if (Buffer.byteLength(at) > maxDocumentKeyBytes) {
    throw new BadRequest(
      'NAME_NOT_VALID',
      'The key of the setting is too long: with the user name it may have 511 bytes',
    );
  }
  return at;
}

const sizeOf = (json: string): number => Buffer.byteLength(json);
