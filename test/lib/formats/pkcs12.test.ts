import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import t from 'tap';
import { keyOfStore } from '../../../lib/formats/pkcs12.js';
import { mailCertificate, mailKey, password, stores } from '../../helpers/keystores.js';

t.test('the key of a name, from what the tools write', async (t) => {
  const wanted = createPrivateKey(mailKey);
  for (const store of [stores.openssl, stores.threeDes])
    t.ok(keyOfStore(store, password, 'mail').equals(wanted));
  t.ok(createPublicKey(wanted).equals(new X509Certificate(mailCertificate).publicKey));
  const mail = keyOfStore(stores.keytool, password, 'MAIL');
  const other = keyOfStore(stores.keytool, password, 'other');
  t.match([mail.asymmetricKeyType, other.asymmetricKeyType], ['ec', 'ec']);
  t.notOk(mail.equals(other));
});

t.test('what can not be read is told, whatever it is', async (t) => {
  // Names another derivation in the key's place, with what is now its first factor alone.
  const pbkdf2 = Buffer.from('2a864886f70d01050c', 'hex');
  const scrypt = Buffer.from(stores.openssl);
  Buffer.from('2b06010401da47040b', 'hex').copy(scrypt, scrypt.lastIndexOf(pbkdf2));
  const rows: readonly [Buffer, string, string, RegExp][] = [
    [stores.openssl, 'wrong', 'mail', /the password does not open its key mail/],
    [stores.openssl, '', 'mail', /the password does not open/],
    [stores.openssl, password, 'letters', /no key named letters/],
    [stores.keytool, password, 'aes', /its key aes is none of a key pair: "keytool -genkeypair"/],
    [stores.jks, password, 'mail', /JKS key store: "keytool -importkeystore/],
    [stores.manyRounds, password, 'mail', /its key mail takes too long to open, more than 100000 rounds/],
    [scrypt, password, 'mail', /its key mail takes too long to open/],
    [Buffer.from(mailKey), password, 'mail', /no PKCS#12 key store/],
    [Buffer.alloc(0), password, 'mail', /no PKCS#12 key store/],
    [Buffer.from('3080020103', 'hex'), password, 'mail', /no PKCS#12 key store/],
    [Buffer.from('30850000000001', 'hex'), password, 'mail', /no PKCS#12 key store/],
  ];
  for (const [store, secret, alias, message] of rows) {
    t.throws(() => keyOfStore(store, secret, alias), { message }, String(message));
  }
  for (let length = 1; length < stores.openssl.length - 80; length += 7) {
    t.throws(() => keyOfStore(stores.openssl.subarray(0, length), password, 'mail'), {
      message: /no PKCS#12/,
    });
  }
});
