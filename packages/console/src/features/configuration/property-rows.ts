type Scope = 'GLOBAL' | 'LOCAL' | 'USER' | 'TRANSIENT';

interface SetProperty {
  readonly value: string;
  readonly description: string;
  readonly scope?: Scope | undefined;
}

interface KnownProperty {
  readonly name: string;
  readonly meaning: string;
  readonly default?: string | undefined;
  readonly inForce: 'at once' | 'restart' | 'start' | 'launch';
  readonly isSecret: boolean;
  readonly isLocal: boolean;
  readonly isWaiting: boolean;
}

/** A property of the list: set, or one that the gateway knows of and nobody has set. */
export interface PropertyRow {
  readonly name: string;
  /** Absent: nobody has set it. */
  readonly value?: string;
  readonly scope?: Scope;
  readonly description: string;
  readonly defaultValue?: string;
  readonly inForce?: KnownProperty['inForce'];
  readonly isSecret: boolean;
  readonly isWaiting: boolean;
}

/** What the address of the list says. */
export interface PropertySearch {
  readonly q?: string;
  readonly unset?: boolean;
}

export function readPropertySearch({ q, unset }: Record<string, unknown>): PropertySearch {
  return {
    ...(typeof q === 'string' && q !== '' ? { q } : typeof q === 'number' ? { q: String(q) } : {}),
    ...(unset === true ? { unset } : {}),
  };
}

const collator = new Intl.Collator('en', { numeric: true });

/** What is set and what could be, by name. */
export function propertyRows(
  set: Readonly<Record<string, SetProperty>>,
  known: readonly KnownProperty[],
): PropertyRow[] {
  const byName = new Map(known.map((one) => [one.name, one]));
  const names = new Set([...Object.keys(set), ...byName.keys()]);
  return [...names].sort(collator.compare).map((name) => {
    const [found, about] = [Object.hasOwn(set, name) ? set[name] : undefined, byName.get(name)];
    return {
      name,
      description: found?.description || about?.meaning || '',
      isSecret: about?.isSecret ?? false,
      isWaiting: about?.isWaiting ?? false,
      ...(found ? { value: found.value } : {}),
      ...(found?.scope ? { scope: found.scope } : {}),
      ...(about?.default === undefined ? {} : { defaultValue: about.default }),
      ...(about ? { inForce: about.inForce } : {}),
    };
  });
}

/** Those in which all words of the filter are; what waits always shows, set or not. */
export function shownProperties(
  rows: readonly PropertyRow[],
  { q = '', unset }: PropertySearch,
): PropertyRow[] {
  const wanted = q.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    if (row.value === undefined && !unset && !row.isWaiting) return false;
    const text = [row.name, row.value ?? '', row.description].join('\n').toLocaleLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}
