import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The beginning is for people and for programs that look for secrets where none should be. */
const pattern = /^hgt_([0-9a-f]{16})_[\w-]{43}$/;

/** 256 random bits: nobody tries them out, so a plain digest is a safe thing to keep. */
export function newSecret(): { readonly id: string; readonly token: string; readonly hash: string } {
  const id = randomBytes(8).toString('hex');
  const token = `hgt_${id}_${randomBytes(32).toString('base64url')}`;
  return { id, token, hash: digest(token).toString('hex') };
}

/** The id that a token claims; `undefined` for anything that is no token. */
export const idOf = (token: string): string | undefined => pattern.exec(token)?.[1];

/** In constant time. */
export const isSecretOf = (token: string, hash: string): boolean =>
  timingSafeEqual(digest(token), Buffer.from(hash, 'hex'));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
