import type { LoginSchemes } from 'headgate/driver-kit';
import { kerberosScheme } from './kerberos.js';
import { ldapScheme } from './ldap.js';
import { pamScheme } from './pam.js';

export type { KerberosOptions } from './kerberos.js';
export type { LdapOptions } from './ldap.js';
export type { PamOptions } from './pam.js';
export { kerberosScheme, ldapScheme, pamScheme };

/**
 * All mechanisms with what is usual, for `configuredAuth({ schemes })`. To have one otherwise:
 * `{ ...directorySchemes(), ldap: ldapScheme({ connectMillis: 1000 }) }`.
 */
export const directorySchemes = (): LoginSchemes => ({
  ldap: (...given) => ldapScheme()(...given),
  ad: (...given) => ldapScheme()(...given),
  kerberos: kerberosScheme(),
  pam: pamScheme(),
});
