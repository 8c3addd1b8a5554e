// Keys for trying this out, in ./keys: an authority, certificates of the server and of a person, and the proxy's pair of
// keys, with a token that it signed.
import 'reflect-metadata'; // asked for by the library below
import { createPrivateKey, webcrypto } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import * as x509 from '@peculiar/x509';
import { exportPKCS8, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { audience, issuer } from './people.js';

x509.cryptoProvider.set(webcrypto);
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const day = 24 * 60 * 60 * 1000;
const validity = { notBefore: new Date(), notAfter: new Date(Date.now() + 7 * day) };
const pair = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
const directory = new URL('./keys/', import.meta.url);
const save = (name, text) => writeFile(new URL(name, directory), text, { mode: 0o600 });

await mkdir(directory, { recursive: true });
const authorityKeys = await pair();
const authority = await x509.X509CertificateGenerator.createSelfSigned({
  name: 'CN=Example authority',
  keys: authorityKeys,
  signingAlgorithm: algorithm,
  ...validity,
  extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
});
await save('authority.pem', authority.toString('pem'));

async function certificate(file, name, extensions = []) {
  const keys = await pair();
  const made = await x509.X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey: authorityKeys.privateKey,
    signingAlgorithm: algorithm,
    ...validity,
    extensions,
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  await save(`${file}.pem`, made.toString('pem'));
  await save(`${file}.key`, key.export({ format: 'pem', type: 'pkcs8' }));
}
const here = [
  { type: 'dns', value: 'localhost' },
  { type: 'ip', value: '127.0.0.1' },
];
await certificate('server', 'localhost', [new x509.SubjectAlternativeNameExtension(here)]);
await certificate('operations', 'operations');
await certificate('stranger', 'stranger');

const proxy = await generateKeyPair('EdDSA', { extractable: true });
await save('proxy.pem', await exportSPKI(proxy.publicKey));
await save('proxy.key', await exportPKCS8(proxy.privateKey));
const token = (groups) =>
  new SignJWT({ groups })
    .setProtectedHeader({ alg: 'EdDSA' })
    .setSubject('dora')
    .setIssuer(issuer)
    .setAudience(audience)
    .setExpirationTime('1d')
    .sign(proxy.privateKey);
await save('developer.jwt', await token(['streaming-developers']));
await save('nobody.jwt', await token(['canteen']));
