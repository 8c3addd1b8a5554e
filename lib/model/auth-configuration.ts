import * as z from 'zod';

const Text = z.string().trim().min(1).max(4096);

/** Documents and consoles send `"true"`, `true` and `"false"`. */
const YesNo = z
  .union([z.boolean(), z.string()])
  .transform((value) => String(value).trim().toLowerCase())
  .pipe(z.enum(['true', 'false'], 'true or false'))
  .transform((value) => value === 'true');

/** Numbers come as numbers or as their digits. */
const Count = (min: number, max: number) =>
  z
    .union([z.number(), z.string().regex(/^\s*\d{1,15}\s*$/, `a number from ${min} to ${max}`)])
    .transform(Number)
    .pipe(z.int().min(min).max(max));

const groupSupport = YesNo.default(false);
const userDefaultRole = Text.optional().describe('given to each user at the first login; ours');

const directory = {
  groupSupport,
  userDefaultRole,
  server: Text.describe(
    'host, or URL with ldap: or ldaps:; several, separated by blanks or commas, are tried in turn',
  ),
  Port: Count(1, 65535).optional().describe('default 389, with ldaps: 636'),
  startTls: YesNo.default(false).describe('ours'),
  caFile: Text.optional().describe('PEM file of the authorities to trust, instead of the usual ones; ours'),
  userBaseDn: Text.optional().describe('parent entry of users'),
  authIdentity: Text.optional().describe("pattern of the user's DN with {USERNAME}"),
  userSearchFilter: Text.optional().describe('with {USERNAME}'),
  userIdAttribute: Text.optional().describe('default uid, for ad sAMAccountName'),
  userObjectClass: Text.optional().describe('default person'),
  bindDn: Text.optional(),
  bindPassword: z.string().min(1).max(1024).optional(),
  roleBaseDn: Text.optional().describe('parent entry of groups'),
  userRdnAttribute: Text.optional().describe('attribute of a group that names its members'),
  roleNameAttribute: Text.optional(),
  roleObjectClass: Text.optional(),
};

const LdapConfiguration = z.strictObject({ type: z.literal('ldap'), ...directory });
const AdConfiguration = z.strictObject({
  type: z.literal('ad'),
  ...directory,
  userDomain: Text.optional().describe('suffix for binds as name@domain'),
});
const KerberosConfiguration = z.strictObject({
  type: z.literal('kerberos'),
  groupSupport,
  userDefaultRole,
  kerberosPrincipal: Text.regex(/^HTTP\//, 'begins with HTTP/'),
  kerberosKeytab: Text.describe('path of the keytab'),
  tokenValidity: Count(1, 366 * 24 * 3600)
    .optional()
    .describe('seconds'),
  cookieDomain: Text.optional(),
  cookiePath: Text.optional(),
  signatureSecret: Text.optional().describe('path of a file with the secret, or the secret'),
});
const PamConfiguration = z.strictObject({
  type: z.literal('pam'),
  groupSupport,
  userDefaultRole,
  serviceName: Text.regex(/^[A-Za-z0-9._-]{1,64}$/, 'is no name of a PAM service'),
});
const PasswordConfiguration = z.strictObject({ type: z.literal('password') });
const NoConfiguration = z.strictObject({ type: z.literal('none') });

/** The configuration of one mechanism: keys spelt as here, texts turned into what they mean. */
export const AuthConfiguration = z.discriminatedUnion('type', [
  PasswordConfiguration,
  KerberosConfiguration,
  LdapConfiguration,
  AdConfiguration,
  PamConfiguration,
  NoConfiguration,
]);
export type AuthConfiguration = z.output<typeof AuthConfiguration>;
