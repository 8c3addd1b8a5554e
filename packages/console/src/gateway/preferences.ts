import { client } from './client.js';
import { queryClient, read } from './queries.js';
import { createStore, useStore } from './store.js';

/** Taste, kept with the user's settings so that it is the same on each machine. What a link must show stands in its URL instead. */
export interface Preferences {
  readonly version: 1;
  readonly zone: string;
  readonly density: 'comfortable' | 'compact';
  readonly shortcuts: boolean;
  readonly logWrap: boolean;
}

const defaults: Preferences = {
  version: 1,
  zone: 'browser',
  density: 'comfortable',
  shortcuts: true,
  logWrap: false,
};

const key = 'console';
const preferences = createStore<Preferences>(defaults);
let userName: string | undefined;

/** Of whoever has logged in; what can't be read, or was written by another version, is left for the defaults. */
export async function loadPreferences(): Promise<void> {
  const profile = await queryClient.fetchQuery(read('getProfile', {}));
  userName = profile.userName;
  // The list, since one that is not there yet would be an error in the browser's console.
  const kept = await client.listOwnSettings().catch(() => undefined);
  preferences.set(readPreferences(kept?.[key]));
}

function readPreferences(kept: unknown): Preferences {
  if (typeof kept !== 'object' || kept === null || !('version' in kept) || kept.version !== 1)
    return defaults;
  const known = Object.entries(kept).filter(
    ([name, value]) => name in defaults && typeof value === typeof defaults[name as keyof Preferences],
  );
  return { ...defaults, ...Object.fromEntries(known) };
}

/** Shown at once, and kept when the gateway answers; one that can't be kept holds for this page. */
export async function prefer(change: Partial<Omit<Preferences, 'version'>>): Promise<void> {
  const next = { ...preferences.get(), ...change };
  preferences.set(next);
  if (userName !== undefined)
    await client.putSetting({ params: { user: userName, key }, body: { value: next } });
}

export const usePreferences = (): Preferences => useStore(preferences);
