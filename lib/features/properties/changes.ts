import type { PropertyEdit } from '../../formats/hadoop-xml-edit.js';
import { mask } from '../../formats/secret-names.js';
import { type InputIssue, InvalidInput } from '../../model/errors.js';
import { isSecretProperty, knownProperty } from './known.js';
import type { SetProperty } from './layers.js';
import type { NamedProperty } from './schema.js';
import type { SiteEdits } from './site-journal.js';

/** One property that is to be set or, without a value, removed. `at`: where the client wrote it. */
export interface WantedChange {
  readonly at: string;
  readonly name: string;
  readonly set?: Omit<NamedProperty, 'name'>;
}

/** What decides whether a property may be changed. */
interface Present {
  readonly byName: ReadonlyMap<string, Pick<SetProperty, 'scope' | 'value' | 'isFinal'>>;
  /** Said by the gateway or its host. */
  readonly fixed: Readonly<Record<string, string>>;
}

/** What each file has to say then. Throws `InvalidInput` naming all that is wrong. */
export function editsOf(changes: readonly WantedChange[], present: Present): SiteEdits {
  const issues: InputIssue[] = [];
  const GLOBAL: PropertyEdit[] = [];
  const LOCAL: PropertyEdit[] = [];
  const seen = new Set<string>();
  for (const change of changes) {
    const { name, set } = change;
    const problem = seen.has(name) ? 'is there twice' : (readOnly(name, present) ?? wrong(change, present));
    seen.add(name);
    if (problem !== undefined) {
      issues.push({ path: change.at, message: `${name} ${problem}` });
      continue;
    }
    const isLocal = (set?.local ?? set?.scope === 'LOCAL') || knownProperty(name)?.isLocal === true;
    const edit = set ? { name, set: valuesOf(name, set, present) } : { name };
    // What is set for all would mean nothing where this node has a value of its own; that one hides what all have.
    if (!set || !isLocal) GLOBAL.push(edit);
    LOCAL.push(isLocal ? edit : { name });
  }
  if (issues.length > 0) throw new InvalidInput(issues);
  return { GLOBAL, LOCAL };
}

function readOnly(name: string, { byName, fixed }: Present): string | undefined {
  if (Object.hasOwn(fixed, name)) return 'is read-only: the gateway or its host says it (TRANSIENT)';
  const found = byName.get(name);
  if (found?.isFinal) return `is final in the ${found.scope} file: only who edits that file can change it`;
  if (found?.scope === 'USER')
    return "is set in the service account's own file, which is not written here (USER)";
  return undefined;
}

function wrong({ name, set }: WantedChange, { byName }: Present): string | undefined {
  if (!set) return undefined;
  if (isSecretProperty(name) && set.value === mask) {
    return byName.get(name)?.value === undefined ? `is not set, so ${mask} says nothing` : undefined;
  }
  return knownProperty(name)?.problem?.(set.value);
}

function valuesOf(name: string, set: Omit<NamedProperty, 'name'>, { byName }: Present) {
  const kept = isSecretProperty(name) && set.value === mask ? byName.get(name)?.value : undefined;
  return {
    value: kept ?? set.value,
    ...(set.description === undefined ? {} : { description: set.description }),
  };
}
