import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { createLicenseReader, LicenseTerms, licenseFeatures, signLicense } from '../lib/index.js';

/** Resolves what to print. Throws rather than overwrite a key: licenses that it signed could not be renewed. */
export function makeKeys(name: string): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const files = { private: `${name}.pem`, public: `${name}.pub.pem` };
  writeFileSync(files.private, privateKey.export({ type: 'pkcs8', format: 'pem' }), {
    mode: 0o600,
    flag: 'wx',
  });
  writeFileSync(files.public, publicKey.export({ type: 'spki', format: 'pem' }), { flag: 'wx' });
  return `${files.private}: keep it secret, it signs licenses\n${files.public}: give it to licensing.publicKeys\n`;
}

/** `2027-01-31`, a moment in ISO 8601, or epoch milliseconds. */
const When = z.union(
  [
    z.number().int().nonnegative(),
    z.iso.date().transform(Date.parse),
    z.iso.datetime().transform(Date.parse),
  ],
  'expected a date such as 2027-01-31',
);

/** What a person writes: stricter than what gateways read, so that a slip of the pen is not signed. */
const TermsFile = z.strictObject({
  ...LicenseTerms.shape,
  id: LicenseTerms.shape.id.exactOptional(),
  startDate: When.exactOptional(),
  expireTime: When.exactOptional(),
  features: z.array(z.enum(licenseFeatures)).default([]),
});

export function signFile(options: {
  readonly file: string;
  readonly key: string;
  readonly days: number | undefined;
  readonly out: string | undefined;
}): string {
  const written = TermsFile.parse(jsonOf(options.file));
  const { id = newId(written.product), startDate = Date.now() } = written;
  const end = options.days === undefined ? {} : { expireTime: startDate + options.days * 86_400_000 };
  const terms = { ...written, id, startDate, ...end };
  if (terms.expireTime !== undefined && terms.expireTime <= startDate) {
    throw new Error('expireTime is not after startDate');
  }
  const license = `${signLicense(terms, privateKeyOf(options.key))}\n`;
  if (options.out === undefined) return license;
  writeFileSync(options.out, license);
  return `${options.out}: ${id}\n`;
}

function privateKeyOf(file: string): KeyObject {
  const pem = readFileSync(file, 'utf8');
  try {
    return createPrivateKey(pem);
  } catch {
    throw new Error(`${file} holds no private key: signing needs the one that "headgate-license keys" made`);
  }
}

export function showLicense(file: string, key: string): string {
  const read = createLicenseReader({ publicKeys: [readFileSync(key, 'utf8')] });
  const { startDate, expireTime, ...terms } = read(readFileSync(file, 'utf8'));
  const dates = {
    startDate: dateOf(startDate),
    ...(expireTime === undefined ? {} : { expireTime: dateOf(expireTime) }),
  };
  return `${JSON.stringify({ ...terms, ...dates }, null, 2)}\n`;
}

function jsonOf(file: string): unknown {
  const text = readFileSync(file, 'utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

const dateOf = (time: number): string => new Date(time).toISOString();

/** The product's name, 14 digits of time, a random part. */
const newId = (product: string): string =>
  `${product}-${dateOf(Date.now()).replace(/\D/g, '').slice(0, 14)}-${randomBytes(4).toString('hex')}`;
