import { BlockList, isIP, SocketAddress } from 'node:net';
import { shown } from '../runtime/option-sentences.js';

/** Addresses (`10.1.2.3`, `::1`) and networks (`10.1.0.0/16`); tells whether one of them holds an address. */
type AddressRanges = (address: string) => boolean;

/** Throws `TypeError` for what is neither an address nor a network. `option`: where the host wrote it. */
export function addressRanges(option: string, entries: readonly string[]): AddressRanges {
  const list = new BlockList();
  for (const entry of entries) {
    const network = readNetwork(entry);
    if (!network) throw new TypeError(`${option}: ${noNetwork(entry)}`);
    list.addSubnet(network.address, network.size, network.family);
  }
  return (address) => {
    const plain = plainAddress(address);
    return plain !== undefined && list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
  };
}

export const noNetwork = (entry: unknown): string =>
  `${shown(entry)} is no address; write 10.1.2.3 or 10.1.0.0/16`;

/** `undefined` for what is neither an address nor a network. */
export function readNetwork(entry: string) {
  const [address = '', bits, ...rest] = entry.split('/');
  const version = isIP(address);
  const width = version === 6 ? 128 : 32;
  const size = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
  if (version === 0 || rest.length > 0 || size < 0 || size > width) return undefined;
  return { address, size, family: version === 6 ? ('ipv6' as const) : ('ipv4' as const) };
}

/**
 * One spelling for each address; `undefined` for what is none. A socket that listens on both families shows IPv4 peers as
 * `::ffff:10.1.2.3`, which is `10.1.2.3`; a zone (`%eth0`) is of one machine and no part of the address.
 */
export function plainAddress(text: string): string | undefined {
  const version = isIP(text);
  if (version === 0) return undefined;
  const { address } = new SocketAddress({ address: text, family: version === 6 ? 'ipv6' : 'ipv4' });
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1] ?? address;
}
