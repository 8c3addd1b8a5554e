import type { DocumentStore } from '../../interfaces/storage.js';
import { BadRequest, Conflict, PreconditionFailed, TooLarge } from '../../model/errors.js';
import { setNewest } from '../../runtime/lru.js';
import type { Collection } from '../../storage/collection.js';
import { keyPart } from '../../storage/storage-keys.js';
import type { SettingsUse, StoredSetting } from './stored.js';

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

/** Of a user the document of their use, and that of the setting. */
interface SettingPlace {
  readonly user: string;
  readonly of: string;
  readonly at: string;
}

/** The value, as text, and how many bytes that has. */
interface SentSetting {
  readonly json: string;
  readonly bytes: number;
}

/** Keeps a setting, within what one user may have. Those of one user one after the other. */
export function createSettingPut(
  documents: DocumentStore,
  {
    settings,
    uses,
  }: { readonly settings: Collection<StoredSetting>; readonly uses: Collection<SettingsUse> },
): (user: string, key: string, sent: SentSetting) => Promise<void> {
  // What was written last, for the storage says when it does not hold any more: mostly the same few settings are put again.
  const knownUses = new Map<string, KnownUse>();
  const knownSettings = new Map<string, KnownSetting>();

  async function useOf(user: string): Promise<KnownUse> {
    const kept = await uses.get(user);
    return { keys: kept?.value.keys ?? 0, bytes: kept?.value.bytes ?? 0, etag: kept?.etag ?? null };
  }

  async function settingAt(at: string): Promise<KnownSetting> {
    const kept = await settings.get(at);
    return kept ? { bytes: Buffer.byteLength(kept.value.json), etag: kept.etag } : { bytes: 0, etag: null };
  }

  /** Returns whether there was something. */
  const forget = ({ of, at }: SettingPlace): boolean => {
    const wasKnown = knownUses.delete(of);
    return knownSettings.delete(at) || wasKnown;
  };

  async function tryPut(place: SettingPlace, sent: SentSetting): Promise<void> {
    const { user, of, at } = place;
    const { json, bytes } = sent;
    const use = knownUses.get(of) ?? (await useOf(of));
    const before = knownSettings.get(at) ?? (await settingAt(at));
    const next = {
      keys: use.keys + (before.etag === null ? 1 : 0),
      bytes: use.bytes + bytes - before.bytes,
    };
    const isTooMuch = next.keys > maxKeys || next.bytes > maxUserBytes;
    // It may be less by now.
    if (isTooMuch && forget(place)) return tryPut(place, sent);
    if (next.keys > maxKeys) throw new Conflict('LIMIT_REACHED', `${user} has ${maxKeys} settings already`);
    if (next.bytes > maxUserBytes) throw new TooLarge(`All settings of ${user} together`, maxUserBytes);
    const write = settings.writes.put(at, { json }, { ifMatch: before.etag });
    const isSameUse = next.keys === use.keys && next.bytes === use.bytes;
    const [ofSetting, ofUse = use.etag] = await documents.write(
      isSameUse ? [write] : [write, uses.writes.put(of, next, { ifMatch: use.etag })],
    );
    remember(knownUses, of, { keys: next.keys, bytes: next.bytes, etag: ofUse });
    if (ofSetting !== undefined) remember(knownSettings, at, { bytes, etag: ofSetting });
  }

  // The user may be deleted meanwhile.
  return async (user, key, sent) => {
    const place = { user, of: keyPart(user), at: documentKey(user, key) };
    for (let attempt = 1; ; attempt++) {
      try {
        return await tryPut(place, sent);
      } catch (error) {
        forget(place);
        if (!(error instanceof PreconditionFailed) || attempt === maxAttempts) throw error;
      }
    }
  };
}

/** What is known already stays in its place: taking entries out and in again makes V8 build the map anew every few times. */
function remember<V>(known: Map<string, V>, key: string, value: V): void {
  if (known.has(key)) known.set(key, value);
  else setNewest(known, key, value, maxKnown);
}

/** The first slash ends the name; the key may hold more of them. */
export function documentKey(user: string, key: string): string {
  const at = `${keyPart(user)}/${key}`;
  if (Buffer.byteLength(at) > maxDocumentKeyBytes) {
    throw new BadRequest(
      'NAME_NOT_VALID',
      'The key of the setting is too long: with the user name it may have 511 bytes',
    );
  }
  return at;
}
