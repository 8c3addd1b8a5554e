import { randomBytes, timingSafeEqual } from 'node:crypto';
import { parse, serialize } from 'cookie';

const cookieName = 'desktop.window';
const secret = () => randomBytes(32).toString('base64url');
const equal = (a, b) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/**
 * Lets in one window: it comes with a token in its address, once, and has a cookie from then on. Other programs and other
 * users of this machine can reach the port and get nothing.
 */
export function oneWindow() {
  const token = secret();
  const session = secret();
  let used = false;
  return {
    token,
    isOurs: ({ headers }) => equal(parse(headers.cookie ?? '')[cookieName] ?? '', session),
    /** The address with the token leaves the history at once. */
    enter(given, response) {
      if (used || !equal(given, token)) return response.writeHead(401).end('This window is not the one');
      used = true;
      const cookie = serialize(cookieName, session, { httpOnly: true, sameSite: 'strict', path: '/' });
      response.writeHead(303, { location: '/', 'set-cookie': cookie, 'cache-control': 'no-store' }).end();
    },
  };
}
