import { BlockList, isIP } from 'node:net';

/** `'any'`, `'public'`, or addresses and ranges of which some may be `'public'`. */
export type AddressOption = 'any' | 'public' | readonly string[];

const privateRanges = (
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 ' +
  '2001::/23 2001:db8::/32 2002::/16 3fff::/20'
).split(' ');

/** What IANA has given out for the public internet: all of IPv4 but special purposes, and of IPv6 one eighth. */
const publicRanges = ['0.0.0.0/0', '2000::/3'];

/** Throws when the option has what is no address and no range. */
export function addressTest(option: AddressOption): (address: string) => boolean {
  if (option === 'any') return () => true;
  const entries = typeof option === 'string' ? [option] : option;
  const named = rangesOf(entries.filter((entry) => entry !== 'public'));
  const isNamed = (address: string) => named.check(address, familyOf(address));
  if (!entries.includes('public')) return (address) => isNamed(plain(address));
  const open = rangesOf(publicRanges);
  const closed = rangesOf(privateRanges);
  return (given) => {
    const address = plain(given);
    const family = familyOf(address);
    return isNamed(address) || (open.check(address, family) && !closed.check(address, family));
  };
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function rangesOf(entries: readonly string[]): BlockList {
  const ranges = new BlockList();
  for (const entry of entries) {
    const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
    const width = isIP(address) === 6 ? 128 : 32;
    if (isIP(address) === 0 || Number(bits ?? 0) > width)
      throw new TypeError(
        `localCluster: addresses: ${JSON.stringify(entry)} is neither an IP address, nor a range such as 10.0.0.0/8, nor 'public'`,
      );
    ranges.addSubnet(address, Number(bits ?? width), familyOf(address));
  }
  return ranges;
}

/** In its shortest form; an IPv4 address in IPv6's clothes (`::ffff:127.0.0.1`) is the IPv4 address. */
function plain(address: string): string {
  if (isIP(address) !== 6) return address;
  const short = new URL(`http://[${address.split('%', 1)[0]}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(short) ?? [];
  if (high === undefined || low === undefined) return short;
  return [high, low]
    .map((part) => Number.parseInt(part, 16))
    .flatMap((part) => [part >> 8, part & 255])
    .join('.');
}
