// A proxy in front does the login and signs what it knows: a JWT in a header, as identity-aware proxies send it. Without
// the proxy's key nobody can make one, so it does not matter who can reach this server.
import { errors, jwtVerify } from 'jose';

/** `key`: the proxy's public key. `rolesOfGroups`: group to roles; groups that are not in it give none. */
export function signedHeader({ key, issuer, audience, rolesOfGroups, header = 'x-identity' }) {
  return {
    async authenticate({ headers }) {
      const token = headers[header];
      if (typeof token !== 'string') return undefined;
      try {
        const { payload } = await jwtVerify(token, key, {
          issuer,
          audience,
          algorithms: ['EdDSA', 'Ed25519'], // never what the token itself says
          requiredClaims: ['sub', 'exp'],
        });
        const groups = Array.isArray(payload.groups) ? payload.groups : [];
        const roles = [...new Set(groups.flatMap((group) => rolesOfGroups.get(group) ?? []))];
        // Who has no role here is known to the proxy, and not to us.
        return roles.length === 0 ? undefined : { userName: payload.sub, roles, scheme: 'proxy' };
      } catch (error) {
        // Forged, old or garbage: the same as none.
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}
