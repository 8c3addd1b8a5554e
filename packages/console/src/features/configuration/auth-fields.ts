export const authTypes = ['password', 'ldap', 'ad', 'kerberos', 'pam', 'none'] as const;
export type AuthType = (typeof authTypes)[number];

export type Section = 'server' | 'users' | 'groups' | 'ticket' | 'system';

/** One setting of a mechanism, as it is asked for. */
export interface AuthField {
  /** As the API spells it. */
  readonly key: string;
  readonly label: string;
  readonly kind: 'text' | 'flag' | 'secret';
  readonly section: Section;
  readonly hint?: string;
  readonly isNeeded?: true;
}

const roles: readonly AuthField[] = [
  {
    key: 'userDefaultRole',
    label: 'Role at the first login',
    kind: 'text',
    section: 'users',
    hint: 'Empty: none, so an administrator must give one',
  },
];

const groupSupport: AuthField = {
  key: 'groupSupport',
  label: 'Roles come from groups',
  kind: 'flag',
  section: 'groups',
};

const directory: readonly AuthField[] = [
  {
    key: 'server',
    label: 'Server',
    kind: 'text',
    section: 'server',
    hint: 'Host, or ldap: or ldaps: URL; several, separated by blanks, are tried in turn',
    isNeeded: true,
  },
  { key: 'Port', label: 'Port', kind: 'text', section: 'server', hint: 'Default: 389, with ldaps: 636' },
  { key: 'startTls', label: 'StartTLS', kind: 'flag', section: 'server' },
  {
    key: 'caFile',
    label: 'File of authorities',
    kind: 'text',
    section: 'server',
    hint: 'PEM, on the machine of the gateway, in place of the usual ones',
  },
  {
    key: 'bindDn',
    label: 'Bind DN',
    kind: 'text',
    section: 'server',
    hint: 'Who searches; empty: each user proves themselves',
  },
  { key: 'bindPassword', label: 'Bind password', kind: 'secret', section: 'server' },
  { key: 'userBaseDn', label: 'Base DN of users', kind: 'text', section: 'users' },
  {
    key: 'authIdentity',
    label: 'Pattern of a user’s DN',
    kind: 'text',
    section: 'users',
    hint: 'With {USERNAME} where the name goes',
  },
  {
    key: 'userSearchFilter',
    label: 'Search filter',
    kind: 'text',
    section: 'users',
    hint: 'With {USERNAME} where the name goes',
  },
  { key: 'userIdAttribute', label: 'Attribute of the name', kind: 'text', section: 'users' },
  {
    key: 'userObjectClass',
    label: 'Object class of users',
    kind: 'text',
    section: 'users',
    hint: 'Default: person',
  },
  ...roles,
  groupSupport,
  { key: 'roleBaseDn', label: 'Base DN of groups', kind: 'text', section: 'groups' },
  { key: 'userRdnAttribute', label: 'Attribute that names members', kind: 'text', section: 'groups' },
  { key: 'roleNameAttribute', label: 'Attribute of the group’s name', kind: 'text', section: 'groups' },
  { key: 'roleObjectClass', label: 'Object class of groups', kind: 'text', section: 'groups' },
];

const fields: Readonly<Record<AuthType, readonly AuthField[]>> = {
  password: [],
  none: [],
  ldap: directory,
  ad: [
    ...directory,
    {
      key: 'userDomain',
      label: 'Domain',
      kind: 'text',
      section: 'users',
      hint: 'For binds as name@domain',
    },
  ],
  kerberos: [
    {
      key: 'kerberosPrincipal',
      label: 'Principal',
      kind: 'text',
      section: 'ticket',
      hint: 'Begins with HTTP/',
      isNeeded: true,
    },
    {
      key: 'kerberosKeytab',
      label: 'Keytab',
      kind: 'text',
      section: 'ticket',
      hint: 'Path on the machine of the gateway',
      isNeeded: true,
    },
    {
      key: 'tokenValidity',
      label: 'A session lasts, in seconds',
      kind: 'text',
      section: 'ticket',
    },
    { key: 'cookieDomain', label: 'Domain of the cookie', kind: 'text', section: 'ticket' },
    { key: 'cookiePath', label: 'Path of the cookie', kind: 'text', section: 'ticket' },
    {
      key: 'signatureSecret',
      label: 'Secret that signs the cookie',
      kind: 'secret',
      section: 'ticket',
      hint: 'The secret, or the path of a file with it',
    },
    ...roles,
    groupSupport,
  ],
  pam: [
    {
      key: 'serviceName',
      label: 'PAM service',
      kind: 'text',
      section: 'system',
      hint: 'Its file in /etc/pam.d',
      isNeeded: true,
    },
    ...roles,
    groupSupport,
  ],
};

export const fieldsOf = (type: AuthType): readonly AuthField[] => fields[type];

export type AuthValues = Readonly<Record<string, string | boolean>>;

type Sent = Readonly<Record<string, string | number | boolean>>;

/** What a form of this type begins with: keys are kept as they were sent, in any case. */
export function valuesOf(type: AuthType, configuration: Sent): AuthValues {
  const sent = new Map(Object.entries(configuration).map(([key, value]) => [key.toLowerCase(), value]));
  return Object.fromEntries(
    fieldsOf(type).map(({ key, kind }) => {
      const value = sent.get(key.toLowerCase());
      if (kind === 'flag') return [key, String(value).toLowerCase() === 'true'];
      return [key, value === undefined ? '' : String(value)];
    }),
  );
}

/** What is sent: fields of this type that say something. A secret that is left empty stays what it is. */
export function configurationOf(type: AuthType, values: AuthValues): Record<string, string | boolean> {
  return Object.fromEntries(
    fieldsOf(type).flatMap(({ key }): (readonly [string, string | boolean])[] => {
      const value = values[key];
      if (typeof value === 'boolean') return value ? [[key, value]] : [];
      const text = value?.trim() ?? '';
      return text === '' ? [] : [[key, text]];
    }),
  );
}

/** What may be kept in the browser while it is typed, and the secrets, which may not. */
export function withoutSecrets(
  type: AuthType,
  values: AuthValues,
): { readonly plain: AuthValues; readonly secrets: AuthValues } {
  const hidden = new Set(
    fieldsOf(type)
      .filter(({ kind }) => kind === 'secret')
      .map(({ key }) => key),
  );
  const part = (isHidden: boolean): AuthValues =>
    Object.fromEntries(Object.entries(values).filter(([key]) => hidden.has(key) === isHidden));
  return { plain: part(false), secrets: part(true) };
}
