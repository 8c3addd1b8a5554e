import { test } from 'node:test';
import { authenticatorContract } from '@headgate/contracts';
import { generateKeyPair, SignJWT } from 'jose';
import { clientCertificate } from './client-certificate.js';
import { audience, issuer, rolesOf, rolesOfGroups } from './people.js';
import { signedHeader } from './signed-header.js';

const { publicKey, privateKey } = await generateKeyPair('EdDSA');
const token = await new SignJWT({ groups: ['streaming-developers'] })
  .setProtectedHeader({ alg: 'EdDSA' })
  .setSubject('dora')
  .setIssuer(issuer)
  .setAudience(audience)
  .setExpirationTime('1m')
  .sign(privateKey);
const known = (headers, socket) => ({ headers, remoteAddress: '127.0.0.1', raw: { socket } });

test('a signed header keeps what an authenticator promises', (t) =>
  authenticatorContract(t, {
    create: () => signedHeader({ key: publicKey, issuer, audience, rolesOfGroups }),
    known: { request: known({ 'x-identity': token }), userName: 'dora' },
  }));

test('a certificate keeps what an authenticator promises', (t) =>
  authenticatorContract(t, {
    create: () => clientCertificate({ rolesOf }),
    known: {
      request: known({}, { authorized: true, getPeerCertificate: () => ({ subject: { CN: 'operations' } }) }),
      userName: 'operations',
    },
  }));
