import { hkdfSync, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { Storage } from '../../interfaces/storage.js';
import { deviceIn, markedFor } from './device-marks.js';

/** `docs/decisions.md`, Device cookies. Nothing is kept of them here but the key that they are signed with. */
export interface DeviceCookies {
  /** The device that this came from, when this user has logged in there. Never rejects. */
  deviceOf(headers: IncomingHttpHeaders, userName: string): Promise<string | undefined>;
  /** The value of `Set-Cookie` after a login; `undefined` when there is no key. Never rejects. */
  issue(headers: IncomingHttpHeaders, userName: string, isSecure: boolean): Promise<string | undefined>;
}

export const deviceCookieName = 'headgate_device';

const maxAgeMillis = 90 * 24 * 60 * 60_000;
const keyBytes = 32;

/** `signingKey`: asked for at first use, and again after it could not be had. */
export function createDeviceCookies({
  signingKey,
  clock,
  logger,
}: {
  readonly signingKey: () => Promise<Buffer>;
  readonly clock: Clock;
  readonly logger: Logger;
}): DeviceCookies {
  let kept: Buffer | undefined;

  async function signing() {
    try {
      kept ??= await signingKey();
      return { key: kept, now: clock.now() };
    } catch (err) {
      logger.error(
        { event: 'accounts.device_key_unreadable', err },
        'without their key device cookies count for nothing',
      );
      return undefined;
    }
  }

  return {
    async deviceOf(headers, userName) {
      const cookies = cookiesOf(headers);
      if (cookies.length === 0) return undefined;
      const signed = await signing();
      return signed && deviceIn(cookies, userName, signed);
    },

    async issue(headers, userName, isSecure) {
      const signed = await signing();
      if (!signed) return undefined;
      const value = markedFor(cookiesOf(headers), userName, { ...signed, until: signed.now + maxAgeMillis });
      const attributes = `Max-Age=${maxAgeMillis / 1000}; Path=/; HttpOnly; SameSite=Lax`;
      return `${deviceCookieName}=${value}; ${attributes}${isSecure ? '; Secure' : ''}`;
    },
  };
}

/** Of the storage's key, so that devices are known after a restart; of this process where it has none. */
export function deviceSigningKey(storage: Pick<Storage, 'secretKey'>): () => Promise<Buffer> {
  const ofProcess = randomBytes(keyBytes);
  return async () =>
    Buffer.from(
      hkdfSync('sha256', (await storage.secretKey?.()) ?? ofProcess, '', 'headgate device cookies', keyBytes),
    );
}

const pattern = new RegExp(`(?:^|;) *${deviceCookieName}=([\\w.~-]{1,400})(?=;|$)`, 'g');

const cookiesOf = ({ cookie = '' }: IncomingHttpHeaders): string[] =>
  [...cookie.matchAll(pattern)].flatMap(([, value]) => value ?? []);
