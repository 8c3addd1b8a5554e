import { issueSentences } from '../../http/validate.js';
import { AuthConfiguration } from '../../model/auth-configuration.js';
import { type InputIssue, InvalidInput } from '../../model/errors.js';
import { type AuthConfig, secretKeys } from './schema.js';

/** Spellings of the keys of a type, by their lower case: documents and consoles disagree about the case. */
const spellings = new Map(
  AuthConfiguration.options.map(({ shape }) => [
    shape.type.value,
    new Map(Object.keys(shape).map((key) => [key.toLowerCase(), key])),
  ]),
);

const folded = new Set(secretKeys.map((key) => key.toLowerCase()));
/** Whether the value of this key is write-only, however it is spelt. */
export const isSecretKey = (key: string): boolean => folded.has(key.toLowerCase());

/** What is sent, as a checked configuration. Throws `InvalidInput` with all that is wrong, missing keys first. */
export function readConfiguration({ type, configuration, groupMapping }: AuthConfig): AuthConfiguration {
  const { values, issues } = respelt(type, configuration);
  const parsed = AuthConfiguration.safeParse({ ...values, type }, issueSentences);
  const missing = new Set(missingKeys(type, values));
  for (const { path, message } of parsed.error?.issues ?? []) {
    if (message === 'is missing') missing.add(path.join('.'));
    else issues.push(at(path.join('.'), message));
  }
  if (missing.size > 0) {
    const message = `${[...missing].join(', ')} ${missing.size === 1 ? 'is' : 'are'} missing`;
    issues.unshift({ path: 'body.configuration', message });
  }
  if (parsed.data && 'groupSupport' in parsed.data && parsed.data.groupSupport && !groupMapping?.length) {
    issues.push({
      path: 'body.groupMapping',
      message: 'groupSupport true needs roles for at least one group',
    });
  }
  if (!parsed.success || issues.length > 0) throw new InvalidInput(issues);
  return parsed.data;
}

function respelt(type: AuthConfig['type'], sent: AuthConfig['configuration']) {
  const known = spellings.get(type) ?? new Map<string, string>();
  const values: Record<string, unknown> = {};
  const issues: InputIssue[] = [];
  for (const [key, value] of Object.entries(sent)) {
    const spelling = key === 'type' ? undefined : known.get(key.toLowerCase());
    if (spelling === undefined) issues.push(at(key, `is no key of ${type}; ${hint(known)}`));
    else if (Object.hasOwn(values, spelling)) issues.push(at(key, 'is there twice, in different case'));
    else values[spelling] = value;
  }
  return { values, issues };
}

const hint = (known: ReadonlyMap<string, string>): string => {
  const keys = [...known.values()].filter((key) => key !== 'type');
  return keys.length === 0 ? 'there are none' : `there are ${keys.join(', ')}`;
};

/** Mandatory keys of each variant; what the schema itself demands is told by it. */
function missingKeys(type: AuthConfig['type'], values: Readonly<Record<string, unknown>>): string[] {
  if (type !== 'ldap' && type !== 'ad') return [];
  const has = (key: string) => values[key] !== undefined && values[key] !== '';
  const without = (...keys: readonly string[]) => keys.filter((key) => !has(key));
  const groups = String(values['groupSupport']).trim().toLowerCase() === 'true';
  if (has('bindDn') || has('bindPassword') || groups) {
    return without('userBaseDn', 'bindDn', 'bindPassword', ...(groups ? ['roleBaseDn'] : []));
  }
  const oneOf = ['userBaseDn', 'authIdentity', 'userSearchFilter'];
  return oneOf.some(has) ? [] : [`${oneOf.join(', ')} or bindDn`];
}

const at = (key: string, message: string): InputIssue => ({ path: `body.configuration.${key}`, message });
