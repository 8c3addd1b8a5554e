/** Recipients of one mail. */
const maxAddresses = 50;

/** RFC 5321, 4.5.3.1. */
const maxLocalLength = 64;
const maxLength = 254;
// What RFC 5322 calls a dot-atom. Quoted local parts are left out: mail libraries have read them as other addresses.
const local = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const domain =
  /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

type AddressesRead =
  | { readonly addresses: readonly string[]; readonly problem?: never }
  | { readonly problem: string; readonly addresses?: never };

/**
 * A comma-separated list of 1 to 50 addresses, each once. Blanks around them and empty places between commas do not
 * matter; domains of other scripts are written in ASCII.
 */
export function readAddresses(list: string): AddressesRead {
  const addresses = new Map<string, string>();
  for (const piece of list.split(',')) {
    const text = piece.trim();
    if (text === '') continue;
    const read = readAddress(text);
    if (read.problem !== undefined) return { problem: read.problem };
    // Domains are the same in any case; local parts are their server's own affair.
    addresses.set(read.address, read.address);
    if (addresses.size > maxAddresses) return { problem: `more than ${maxAddresses} addresses` };
  }
  if (addresses.size === 0) return { problem: 'no address is given' };
  return { addresses: [...addresses.values()] };
}

type AddressRead =
  | { readonly address: string; readonly problem?: never }
  | { readonly problem: string; readonly address?: never };

/** One plain address, without a name. */
export function readAddress(text: string): AddressRead {
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
  // First: what follows need not be fast for long texts.
  if (text.length > maxLength + maxLocalLength) return { problem: `${shown} is too long` };
  const at = text.lastIndexOf('@');
  if (/[<>"]/.test(text)) return { problem: `${shown}: give the address alone, as in ops@example.org` };
  if (text.includes(';') || /[^\s@]@\S+\s+\S+@/.test(text)) {
    return { problem: `${shown}: separate addresses by commas` };
  }
  const localPart = text.slice(0, Math.max(at, 0));
  const domainPart = asciiDomain(text.slice(at + 1));
  if (at < 1 || !local.test(localPart) || localPart.length > maxLocalLength || domainPart === undefined) {
    return { problem: `${shown} is no mail address` };
  }
  const address = `${localPart}@${domainPart}`;
  return address.length > maxLength ? { problem: `${shown} is too long` } : { address };
}

function asciiDomain(text: string): string | undefined {
  // Only other scripts go through the conversion: it would decode `%41` and read numbers as IP addresses.
  const isPlain = /^[\x21-\x7e]*$/.test(text);
  const ascii = isPlain ? text.toLowerCase() : convertedDomain(text);
  return domain.test(ascii) ? ascii : undefined;
}

/** By the URL that every browser has too: clients load this. Empty for what is no domain. */
function convertedDomain(text: string): string {
  const url = `http://${text}/`;
  return /[%\s\p{Cc}/?#:@[\]\\]/u.test(text) || !URL.canParse(url) ? '' : new URL(url).hostname;
}
