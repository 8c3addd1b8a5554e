/** Where the typed name goes in `authIdentity` and `userSearchFilter`: `docs/decisions.md`, The typed name. */
const placeholder = '{USERNAME}';

/** A value inside a search filter (RFC 4515, 3). What is not special stays as it is: filters are UTF-8. */
export const escapeFilterValue = (value: string): string =>
  [...value].map((character) => ('\\*()\0'.includes(character) ? hex(character) : character)).join('');

/** A value inside a distinguished name (RFC 4514, 2.4). */
export const escapeDnValue = (value: string): string => {
  const characters = [...value];
  const last = characters.length - 1;
  return characters
    .map((character, at) => {
      if (character < ' ' || character === '\x7f') return hex(character);
      const atAnEnd = (character === ' ' && (at === 0 || at === last)) || (character === '#' && at === 0);
      return atAnEnd || '\\"+,;<>='.includes(character) ? `\\${character}` : character;
    })
    .join('');
};

const hex = (character: string): string => `\\${character.charCodeAt(0).toString(16).padStart(2, '0')}`;

/** A filter in which the typed name can only be a value. */
export const filterFor = (pattern: string, userName: string): string =>
  pattern.replaceAll(placeholder, () => escapeFilterValue(userName));

/** `true`: the pattern gives distinguished names; else names of another form, as Active Directory takes them. */
export const isDnPattern = (pattern: string): boolean => pattern.includes('=');

/** The name to bind with; `undefined` when the typed name would turn it into something else than a name of this form. */
export function identityFor(pattern: string, userName: string): string | undefined {
  if (isDnPattern(pattern)) return pattern.replaceAll(placeholder, () => escapeDnValue(userName));
  return /[=,\\/"]/.test(userName) ? undefined : pattern.replaceAll(placeholder, () => userName);
}

export const hasPlaceholder = (pattern: string): boolean => pattern.includes(placeholder);

/** People type `name` or `name@domain`, and are the same person. */
export function withoutDomain(userName: string, domain: string | undefined): string {
  if (domain === undefined) return userName;
  const suffix = `@${domain.replace(/^@/, '')}`.toLowerCase();
  return userName.toLowerCase().endsWith(suffix) ? userName.slice(0, -suffix.length) : userName;
}

/**
 * The name of somebody whose entry can't be read. Directories take many spellings for one person (case, blanks, other
 * forms of a letter), so only plain ones count, and all of them are one. `undefined`: not plain.
 */
export function plainName(userName: string): string | undefined {
  return /^[A-Za-z0-9_.@-]{1,64}$/.test(userName) ? userName.toLowerCase() : undefined;
}

/** In filters brackets are structure only: those of values are escaped. */
export function isBalanced(filter: string): boolean {
  let depth = 0;
  for (const character of filter) {
    if (character === '(') depth++;
    if (character === ')' && --depth < 0) return false;
  }
  return depth === 0;
}
