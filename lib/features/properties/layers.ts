import type { Sealing } from '../../storage/sealing.js';
import { isSecretProperty } from './known.js';
import type { Scope } from './schema.js';
import { type SiteEntry, type SiteLayers, type SiteScope, siteScopes } from './site.js';

/** A property as one of the files sets it. */
export interface SetProperty {
  readonly scope: Scope;
  /** Absent: a sealed secret that can't be opened. */
  readonly value?: string;
  readonly description?: string;
  readonly isFinal: boolean;
}

/** All that the files set, by name; of each the one that counts. */
export interface EffectiveProperties {
  readonly byName: ReadonlyMap<string, SetProperty>;
  /** By scope, for launches: there each file has a rank of its own. */
  readonly byScope: Readonly<Record<SiteScope, ReadonlyMap<string, SetProperty>>>;
  /** Secrets that can't be opened. */
  readonly unreadable: readonly string[];
}

const sealedPrefix = 'sealed:';
// Without the scope: lines may be moved from one file to another.
const placeOf = (name: string) => ({ collection: 'configuration', key: 'properties', member: name });

/** What stands in the file for a value. */
export const sealedText = async (sealing: Sealing, name: string, value: string): Promise<string> =>
  isSecretProperty(name) ? sealedPrefix + (await sealing.seal(placeOf(name), value)) : value;

/** Later scopes win, but never over a final one: `docs/decisions.md`, Four scopes. */
export async function effectiveProperties(
  layers: SiteLayers,
  sealing: Sealing,
): Promise<EffectiveProperties> {
  const byName = new Map<string, SetProperty>();
  const byScope = { GLOBAL: new Map(), LOCAL: new Map(), USER: new Map() };
  const unreadable = new Set<string>();
  for (const scope of siteScopes) {
    for (const entry of layers[scope].values()) {
      const property = await opened(entry, scope, sealing);
      if (property.value === undefined) unreadable.add(entry.name);
      if (byName.get(entry.name)?.isFinal) continue;
      byScope[scope].set(entry.name, property);
      byName.set(entry.name, property);
    }
  }
  return { byName, byScope, unreadable: [...unreadable] };
}

async function opened(entry: SiteEntry, scope: SiteScope, sealing: Sealing): Promise<SetProperty> {
  const { name, text, description, isFinal } = entry;
  const more = { scope, isFinal, ...(description === undefined ? {} : { description }) };
  if (!text.startsWith(sealedPrefix)) return { ...more, value: text };
  try {
    return { ...more, value: await sealing.unseal(placeOf(name), text.slice(sealedPrefix.length)) };
  } catch {
    return more;
  }
}
