import { addressRanges, noNetwork, readNetwork } from '../formats/address-ranges.js';
import { type OptionChecks, option } from '../runtime/option-checks.js';

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
        typeof entry === 'string' && readNetwork(entry)
          ? undefined
          : `${caller}: ${path}: ${noNetwork(entry)}`,
    }),
    'addresses and networks of those that publish',
  ),
  topics: option.needed(option.listOf(option.text), "beginnings of topic names; [''] means all free topics"),
};

/** Beginnings of the topics that a peer at this address may use; `undefined` when it is not trusted. */
type TrustedPublishers = (address: string) => readonly string[] | undefined;

export function createTrustedPublishers(publishers: readonly TrustedPublisher[]): TrustedPublishers {
  const entries = publishers.map(({ addresses, topics }) => ({
    holds: addressRanges('pubsub.trustedPublishers', addresses),
    topics,
  }));
  return (address) => {
    const topics = entries.flatMap(({ holds, topics }) => (holds(address) ? topics : []));
    return topics.length > 0 ? topics : undefined;
  };
}
