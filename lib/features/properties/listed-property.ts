import { mask } from '../../formats/secret-names.js';
import { isSecretProperty, knownProperties, knownProperty } from './known.js';
import type { SetProperty } from './layers.js';
import type { ConfigProperties, ConfigPropertyInput, ConfigPropertyReply } from './schema.js';

/** All that says something of properties. */
export interface SaidProperties {
  /** By the gateway or its host. */
  readonly fixed: Readonly<Record<string, string>>;
  /** By the files, as they were read or written last. */
  readonly byName: ReadonlyMap<string, SetProperty>;
}

type ListedProperty = Required<ConfigPropertyReply>;

/** By name; of those that nobody has set only what the gateway knows of. */
export function listedProperties(said: SaidProperties): ConfigProperties {
  const { fixed, byName } = said;
  const names = new Set([...Object.keys(fixed), ...byName.keys(), ...Object.keys(knownProperties)]);
  const entries = [...names].sort().flatMap((name) => {
    const found = listedProperty(name, said);
    return found ? [[name, found] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** What is said of it, secrets masked; `undefined` when nobody says anything. */
export function listedProperty(name: string, { fixed, byName }: SaidProperties): ListedProperty | undefined {
  const value = fixedValue(name, fixed);
  if (value !== undefined) return { ...shown(name, { value }), scope: 'TRANSIENT' };
  const found = byName.get(name);
  const known = knownProperty(name);
  if (known?.isShownTransient) {
    return { ...shown(name, { ...found, value: found?.value ?? known.default ?? '' }), scope: 'TRANSIENT' };
  }
  return found && { ...shown(name, found), scope: found.scope };
}

/** A property may be called like something that every object has. */
export const fixedValue = (name: string, fixed: SaidProperties['fixed']): string | undefined =>
  Object.hasOwn(fixed, name) ? fixed[name] : undefined;

function shown(
  name: string,
  { value = mask, description }: Pick<SetProperty, 'value' | 'description'>,
): Omit<ListedProperty, 'scope'> {
  return {
    value: isSecretProperty(name) ? mask : value,
    description: description ?? knownProperty(name)?.meaning ?? '',
  };
}

/** Not when it is sent as it was read: then it stays where it is set, also where this API can't change it. */
export function isChange(sent: ConfigPropertyInput, listed: ListedProperty | undefined): boolean {
  return (
    listed === undefined ||
    sent.value !== listed.value ||
    (sent.description !== undefined && sent.description !== listed.description) ||
    (sent.scope !== undefined && sent.scope !== listed.scope) ||
    (sent.local !== undefined && sent.local !== (listed.scope === 'LOCAL'))
  );
}
