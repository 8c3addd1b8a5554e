import { randomBytes, scrypt } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import { hashesAtOnce, presentParameters } from '../../lib/features/accounts/passwords.js';
import { queueingSemaphore } from '../../lib/runtime/semaphore.js';

/** Of the gateway's administrator. */
export const rightPassword = 'the right one';

/** The least that a server does for wrong logins: reads them, hashes as many as it is told, and says no. */
export function bareServer(): { readonly server: Server; hashNext(count: number): void } {
  const { cost, blockSize, parallelization } = presentParameters;
  const options = { cost, blockSize, parallelization, maxmem: 256 * cost * blockSize };
  const salt = randomBytes(16);
  const hashed = queueingSemaphore(
    { permits: hashesAtOnce(), queue: Number.POSITIVE_INFINITY },
    () => new Error('too many'),
  );
  let left = 0;

  const hash = (password: string) =>
    new Promise((resolve, reject) =>
      scrypt(password, salt, 32, options, (error, key) => (error ? reject(error) : resolve(key))),
    );
  const answer: RequestListener = async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const { password } = JSON.parse(Buffer.concat(chunks).toString());
    if (left > 0) {
      left--;
      await hashed(() => hash(password));
    }
    res.writeHead(401, { 'content-type': 'application/json' }).end('{}');
  };
  return {
    server: createServer((req, res) => void answer(req, res)),
    hashNext(count) {
      left = count;
    },
  };
}
