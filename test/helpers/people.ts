import type { Authenticator } from '../../lib/index.js';

/** Who calls, in headers: `x-user: eve`, `x-roles: operator,developer`. A host's own session does the same. */
export const people: Authenticator = {
  async authenticate({ headers }) {
    const userName = headers['x-user'];
    if (typeof userName !== 'string') return undefined;
    return { userName, roles: String(headers['x-roles'] ?? 'guest').split(',') };
  },
};

export const as = (userName: string, roles = 'guest') => ({
  headers: { 'x-user': userName, 'x-roles': roles },
});
