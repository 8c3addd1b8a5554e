/** A name of a Kerberos realm: `ann@REALM`, `ann/admin@REALM`, `HTTP/host@REALM`. */
export interface KerberosPrincipal {
  readonly components: readonly string[];
  /** Absent: the default realm of the machine. */
  readonly realm?: string;
}

/** A backslash takes its meaning from `/`, `@` and itself (`krb5_parse_name`). `undefined`: no principal. */
export function parsePrincipal(text: string): KerberosPrincipal | undefined {
  const components: string[] = [];
  let part = '';
  let realm: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '\\') {
      at++;
      if (at === text.length) return undefined;
      part += unescaped[text[at] ?? ''] ?? text[at];
    } else if (character === '/' && realm === undefined) {
      components.push(part);
      part = '';
    } else if (character === '@') {
      if (realm !== undefined) return undefined;
      components.push(part);
      part = '';
      realm = '';
    } else part += character;
  }
  if (realm === undefined) components.push(part);
  else realm = part;
  if (components.includes('') || realm === '') return undefined;
  return { components, ...(realm === undefined ? {} : { realm }) };
}

const unescaped: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', 0: '\0' };

/**
 * Who somebody with this principal is for the gateway. Of our realm: the first component, and the second one is the group
 * (`user/group@REALM`) where groups are asked for. The realm of somebody else belongs to the
 * name: `ann@OTHER` is another person than our `ann`. `undefined`: nobody.
 */
export function userOf(
  text: string,
  options: { realm: string; groupSupport: boolean },
): { readonly userName: string; readonly groups?: readonly string[] } | undefined {
  const principal = parsePrincipal(text);
  const [name, ...more] = principal?.components ?? [];
  if (!principal || name === undefined || principal.components.length > 2) return undefined;
  const { realm = options.realm } = principal;
  const suffix = realm === options.realm ? '' : `@${realm}`;
  const userName = (options.groupSupport ? name : principal.components.join('/')) + suffix;
  // A component that has one of our signs in it could be taken for somebody else.
  const isPlain = principal.components.every((component) => !/[/@\\]/.test(component));
  if (!isPlain || userName.length > 128 || hasControl(userName)) return undefined;
  return options.groupSupport ? { userName, groups: more } : { userName };
}

const hasControl = (text: string): boolean =>
  [...text].some((character) => character < ' ' || character === '\x7f');
