/** Who has a certificate, and what they are here. */
const holders = new Map([['operations', ['admin']]]);
export const rolesOf = (name) => holders.get(name);

/** What the groups of the proxy are here. */
export const rolesOfGroups = new Map([
  ['streaming-admins', ['admin']],
  ['streaming-developers', ['developer']],
]);

export const issuer = 'https://login.example.org';
export const audience = 'headgate';
