import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import * as z from 'zod';
import { LicenseRefused } from '../../model/license-errors.js';
import { LicenseTerms, type LicenseTermsInput } from './terms.js';

// A license file is a compact JWS (RFC 7515) with Ed25519 (RFC 8037).

const Header = z.object({
  alg: z.literal('EdDSA'),
  kid: z.string().exactOptional(),
  // Says that a reader has to understand what we don't.
  crit: z.undefined().optional(),
});

export interface LicenseTrust {
  /** PEM (`-----BEGIN PUBLIC KEY-----`) or a `KeyObject`, Ed25519. */
  readonly publicKeys: readonly (string | KeyObject)[];
  /** Licenses for another product are refused. Absent: the keys sign for one product only. */
  readonly product?: string | undefined;
}

/** Reads a license file, or throws `LicenseRefused` saying what is wrong with it. Dates are not looked at. */
export type LicenseReader = (text: string) => LicenseTerms;

/** Throws `TypeError` for what is no public key of Ed25519: a mistake of the host. */
export function createLicenseReader({ publicKeys, product }: LicenseTrust): LicenseReader {
  const keys = new Map(publicKeys.map(publicKeyOf).map((key) => [keyId(key), key]));
  if (keys.size === 0) throw new TypeError('licensing.publicKeys is empty: no license could ever be valid');

  return (text) => {
    // Mail programs break long lines.
    const parts = text.replace(/\s+/g, '').split('.');
    const [head = '', payload = '', signature = ''] = parts;
    if (parts.length !== 3 || signature === '') {
      throw corrupted('it is not whole, or no license at all');
    }
    const header = Header.safeParse(jsonOf(head));
    if (!header.success) throw corrupted('its head is damaged');
    requireSignature(keys, header.data.kid, `${head}.${payload}`, signature);

    const terms = LicenseTerms.safeParse(jsonOf(payload));
    if (!terms.success) {
      const [issue] = terms.error.issues;
      const what = `${issue?.path.join('.')}: ${issue?.message}`;
      throw new LicenseRefused(
        'corrupted',
        `The license is signed, but its terms are not complete (${what})`,
      );
    }
    if (product !== undefined && terms.data.product !== product) {
      const found = JSON.stringify(terms.data.product);
      throw new LicenseRefused('product', `The license is for the product ${found}, not for "${product}"`);
    }
    return terms.data;
  };
}

/** A license file. Throws a `ZodError` when the terms are not complete, `TypeError` for another kind of key. */
export function signLicense(terms: LicenseTermsInput, privateKey: string | KeyObject): string {
  const key = typeof privateKey === 'string' ? createPrivateKey(privateKey) : privateKey;
  requireEd25519(key, 'private');
  const header = { alg: 'EdDSA', typ: 'license', kid: keyId(createPublicKey(key)) };
  const signed = `${encoded(header)}.${encoded(LicenseTerms.parse(terms))}`;
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
}

function requireSignature(
  keys: ReadonlyMap<string, KeyObject>,
  kid: string | undefined,
  signed: string,
  signature: string,
): void {
  const bytes = Buffer.from(signature, 'base64url');
  const isGood = [...keys.values()].some((key) => verify(null, Buffer.from(signed), key, bytes));
  // Bytes that stand for nothing are dropped by the decoder: one file, one text.
  if (isGood && bytes.toString('base64url') === signature) return;
  // The name of the key is only a claim, so it decides nothing but the sentence.
  if (kid !== undefined && !keys.has(kid)) {
    throw new LicenseRefused(
      'untrusted',
      `The license is signed with a key that is not known here (${JSON.stringify(kid.slice(0, 64))})`,
    );
  }
  throw corrupted('it is not what its vendor signed');
}

const corrupted = (why: string) =>
  new LicenseRefused(
    'corrupted',
    `The license file is corrupted: ${why}. Upload the whole file as you received it`,
  );

function publicKeyOf(given: string | KeyObject): KeyObject {
  if (typeof given === 'string' && given.includes('PRIVATE KEY')) {
    throw new TypeError('licensing.publicKeys holds a private key: that one stays with the vendor');
  }
  const key = typeof given === 'string' ? keyIn(given) : given;
  requireEd25519(key, 'public');
  return key;
}

function keyIn(pem: string): KeyObject {
  try {
    return createPublicKey(pem);
  } catch (cause) {
    throw new TypeError('licensing.publicKeys holds what is no public key in PEM', { cause });
  }
}

function requireEd25519(key: KeyObject, type: 'public' | 'private'): void {
  if (key.type === type && key.asymmetricKeyType === 'ed25519') return;
  throw new TypeError(`Licenses need an Ed25519 ${type} key, not ${key.asymmetricKeyType} (${key.type})`);
}

/** Tells keys apart in messages. */
export const keyId = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64url')
    .slice(0, 16);

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function jsonOf(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return undefined;
  }
}
