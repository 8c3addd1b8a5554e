import { BlockList, isIP } from 'node:net';
import { type OptionChecks, option } from '../runtime/option-checks.js';
import { shown } from '../runtime/option-sentences.js';

/**
 * `docs/decisions.md`, Publishers that never log in. They may use free topics that begin with one of `topics`, and
 * nothing else.
 */
export interface TrustedPublisher {
  /** Addresses (`10.1.2.3`, `::1`) and networks (`10.1.0.0/16`). */
  readonly addresses: readonly string[];
  /** Beginnings of topic names: `widget.`; `''` means all free topics. */
  readonly topics: readonly string[];
}

export const trustedPublisherOptions: OptionChecks<TrustedPublisher> = {
  addresses: option.needed(
    option.listOf({
      problem: (entry, { caller, path }) =>
        typeof entry === 'string' && networkOf(entry) ? undefined : `${caller}: ${path}: ${noNetwork(entry)}`,
    }),
    'addresses and networks of those that publish',
  ),
  topics: option.needed(option.listOf(option.text), "beginnings of topic names; [''] means all free topics"),
};

/** Beginnings of the topics that a peer at this address may use; `undefined` when it is not trusted. */
type TrustedPublishers = (address: string) => readonly string[] | undefined;

export function createTrustedPublishers(publishers: readonly TrustedPublisher[]): TrustedPublishers {
  const entries = publishers.map(({ addresses, topics }) => ({ list: listOf(addresses), topics }));
  return (address) => {
    const plain = unmapped(address);
    const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
    if (isIP(plain) === 0) return undefined;
    const topics = entries.flatMap(({ list, topics }) => (list.check(plain, family) ? topics : []));
    return topics.length > 0 ? topics : undefined;
  };
}

function listOf(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of addresses) {
    const network = networkOf(entry);
    if (!network) throw new TypeError(`pubsub.trustedPublishers: ${noNetwork(entry)}`);
    list.addSubnet(network.address, network.size, network.family);
  }
  return list;
}

const noNetwork = (entry: unknown): string => `${shown(entry)} is no address; write 10.1.2.3 or 10.1.0.0/16`;

/** `undefined` for what is neither an address nor a network. */
function networkOf(entry: string) {
  const [address = '', bits, ...rest] = entry.split('/');
  const version = isIP(address);
  const width = version === 6 ? 128 : 32;
  const size = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
  if (version === 0 || rest.length > 0 || size < 0 || size > width) return undefined;
  return { address, size, family: version === 6 ? ('ipv6' as const) : ('ipv4' as const) };
}

/** A socket that listens on both families shows IPv4 peers as `::ffff:10.1.2.3`. */
const unmapped = (address: string): string => /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
