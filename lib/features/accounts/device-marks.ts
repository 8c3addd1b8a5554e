import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** What a device cookie says of one user: `device.until.signature`. The name is in the signature alone. */
interface Mark {
  /** Random; tells the devices of one user apart. */
  readonly device: string;
  /** Seconds since 1970, in base 36. */
  readonly until: string;
  readonly signature: string;
}

/** Users of one device that it is known for; one more is in place of the one who has not logged in there for longest. */
const maxMarks = 4;
/** Cookies of our name that are read: another path or domain may have set one too. */
const maxCookies = 4;

/** The device, where one of the cookies holds a mark of this user that has not expired. */
export function deviceIn(cookies: readonly string[], userName: string, signing: Signing): string | undefined {
  return marksIn(cookies, signing.now).find((mark) => isOf(mark, userName, signing.key))?.device;
}

/** The cookie for a device where this user has just logged in: theirs first, and what it held of others. */
export function markedFor(
  cookies: readonly string[],
  userName: string,
  signing: Signing & { readonly until: number },
): string {
  const marks = marksIn(cookies, signing.now);
  const device = deviceIn(cookies, userName, signing) ?? randomBytes(9).toString('base64url');
  const until = Math.floor(signing.until / 1000).toString(36);
  const own = { device, until, signature: signatureOf({ device, until }, userName, signing.key) };
  const others = marks.filter((mark) => !isOf(mark, userName, signing.key));
  return [own, ...others].slice(0, maxMarks).map(textOf).join('~');
}

interface Signing {
  readonly key: Buffer;
  /** Milliseconds since 1970. */
  readonly now: number;
}

function marksIn(cookies: readonly string[], now: number): Mark[] {
  const texts = cookies.slice(0, maxCookies).flatMap((cookie) => cookie.split('~', maxMarks));
  return [...new Set(texts)].flatMap((text) => {
    const [, device, until, signature] = /^([\w-]{12})\.([\da-z]{1,9})\.([\w-]{43})$/.exec(text) ?? [];
    if (device === undefined || until === undefined || signature === undefined) return [];
    return Number.parseInt(until, 36) * 1000 > now ? [{ device, until, signature }] : [];
  });
}

const textOf = ({ device, until, signature }: Mark): string => `${device}.${until}.${signature}`;

function isOf({ signature, ...said }: Mark, userName: string, key: Buffer): boolean {
  const [given, ours] = [Buffer.from(signature), Buffer.from(signatureOf(said, userName, key))];
  return given.length === ours.length && timingSafeEqual(given, ours);
}

/** Directories ignore case, so all spellings of a name are one user here. */
const signatureOf = (said: Omit<Mark, 'signature'>, userName: string, key: Buffer): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([said.device, said.until, userName.toLowerCase()]))
    .digest('base64url');
