// Mutual TLS: whoever shows a certificate of our authority is who it says. `requestCert` and `ca` of the server do the
// checking; this reads the result.

/** `rolesOf`: the roles of a name, or `undefined` for somebody who may not come in. */
export function clientCertificate({ rolesOf }) {
  return {
    async authenticate({ raw }) {
      const { socket } = raw;
      // False without a certificate, and for one that is old, foreign or forged.
      if (socket?.authorized !== true) return undefined;
      const userName = socket.getPeerCertificate().subject?.CN;
      // A subject may name several: then it is nobody's.
      if (typeof userName !== 'string') return undefined;
      const roles = rolesOf(userName);
      return roles && { userName, roles, scheme: 'certificate' };
    },
  };
}
