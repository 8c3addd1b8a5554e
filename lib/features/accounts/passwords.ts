import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import * as z from 'zod';
import { NotReady } from '../../model/errors.js';
import { fairQueue, type QueuePlace } from '../../runtime/fair-queue.js';

/** Bytes of UTF-8. */
export const maxPasswordBytes = 1024;

/** scrypt's parameters travel with each hash, so that they can be raised later. The limits bound what a kept hash can cost. */
export const PasswordHash = z.object({
  algorithm: z.literal('scrypt'),
  cost: z
    .number()
    .int()
    .min(2)
    .max(2 ** 20),
  blockSize: z.number().int().min(1).max(32),
  parallelization: z.number().int().min(1).max(16),
  /** Base64. */
  salt: z.string().max(128),
  hash: z.string().max(128),
});
export type PasswordHash = z.output<typeof PasswordHash>;

type Parameters = Pick<PasswordHash, 'cost' | 'blockSize' | 'parallelization'>;

/** 32 MiB and about a quarter of a second: OWASP's choice for servers that share their memory. */
export const presentParameters: Parameters = { cost: 2 ** 15, blockSize: 8, parallelization: 3 };

/** The slow function; off the main thread. */
export type Derive = (password: string, salt: Buffer, parameters: Parameters) => Promise<Buffer>;

export interface Passwords {
  /** Rejects with `NotReady` when too many wait, or for too long, and with `ClientHungUp` when nobody waits any more. */
  hash(password: string, place: QueuePlace): Promise<PasswordHash>;
  /** The same work whether there is a hash or not; an empty or overlong password is refused without any. */
  verify(password: string, hash: PasswordHash | undefined, place: QueuePlace): Promise<boolean>;
}

/** The place of a hash that the gateway makes on its own account: nobody waits for it. */
export const ownWork: QueuePlace = { whose: 'the gateway', isKnown: true };

/** What who was refused is asked to wait: about as long as the line is then. */
const retryAfterSeconds = 5;
const keyBytes = 32;
const saltBytes = 16;

export function createPasswords(
  options: {
    /**
     * Hashes made at the same time; each takes a thread of Node's pool. Default: 2, but one processor is left to the host's
     * event loop where there are only two.
     */
    maxConcurrent?: number;
    /** Hashes that wait for their turn, of strangers and of those who have come in before each. Default: 60. */
    maxWaiting?: number;
    /** Milliseconds that one waits at most. Default: 10 s. */
    maxWaitMillis?: number;
    derive?: Derive;
  } = {},
): Passwords {
  const { maxConcurrent = hashesAtOnce(), maxWaiting = 60, maxWaitMillis = 10_000 } = options;
  const { derive = deriveByScrypt } = options;
  const limited = fairQueue(
    { running: maxConcurrent, waiting: maxWaiting, waitMillis: maxWaitMillis },
    () => new NotReady('Too many passwords are being checked; try again in a moment', retryAfterSeconds),
  );
  const nobody: PasswordHash = {
    algorithm: 'scrypt',
    ...presentParameters,
    salt: randomBytes(saltBytes).toString('base64'),
    hash: randomBytes(keyBytes).toString('base64'),
  };

  return {
    async hash(password, place) {
      const salt = randomBytes(saltBytes);
      const key = await limited(place, () => derive(password.normalize('NFKC'), salt, presentParameters));
      return {
        algorithm: 'scrypt',
        ...presentParameters,
        salt: salt.toString('base64'),
        hash: key.toString('base64'),
      };
    },

    async verify(password, hash, place) {
      if (!isPossible(password)) return false;
      const { salt, hash: expected, ...parameters } = hash ?? nobody;
      const key = await limited(place, () =>
        derive(password.normalize('NFKC'), Buffer.from(salt, 'base64'), parameters),
      );
      const expectedKey = Buffer.from(expected, 'base64');
      return expectedKey.length === key.length && timingSafeEqual(expectedKey, key) && hash !== undefined;
    },
  };
}

export const hashesAtOnce = (): number => Math.max(1, Math.min(2, availableParallelism() - 1));

/** Directories take an empty password for "nobody in particular" and say yes (RFC 4513, 5.1.2). */
export const isPossible = (password: string): boolean =>
  password !== '' && Buffer.byteLength(password) <= maxPasswordBytes;

/** Whether a hash was made with less work than new ones are. */
export const isOutdated = (hash: PasswordHash): boolean =>
  hash.cost * hash.blockSize * hash.parallelization <
  presentParameters.cost * presentParameters.blockSize * presentParameters.parallelization;

const deriveByScrypt: Derive = (password, salt, { cost, blockSize, parallelization }) =>
  new Promise((resolve, reject) => {
    const maxmem = 256 * cost * blockSize;
    scrypt(password, salt, keyBytes, { cost, blockSize, parallelization, maxmem }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
