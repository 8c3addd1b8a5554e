import type { IncomingHttpHeaders } from 'node:http';
import { addressRanges } from '../formats/address-ranges.js';
import { type ForwardedHeader, type Hop, headerSent, hopsOf } from './forwarded-hops.js';

/**
 * Which proxies are believed: how many stand in front, one after the other; or where they are: an address, a network
 * (`10.0.0.0/8`), `loopback`, `linklocal`, `uniquelocal`, or several of them, as a list or with commas between. `false`: none.
 */
export type TrustProxy = false | number | string | readonly string[] | TrustedProxies;

export interface TrustedProxies {
  readonly proxies: number | string | readonly string[];
  /**
   * What all of them write, and the only one that is read. Default: `X-Forwarded-For`, `-Proto` and `-Host`, and
   * `Forwarded` where none of these came; then proxies that write `Forwarded` must drop the others.
   */
  readonly header?: ForwardedHeader;
}

/** What is known of where a request comes from. */
interface Sender {
  readonly remoteAddress: string;
  readonly headers: IncomingHttpHeaders;
}

/** What trusted proxies say of it. Absent, or `undefined`: the same as without them. */
export interface Forwarded {
  readonly remoteAddress: string;
  readonly isSecure: boolean | undefined;
  readonly host: string | undefined;
}

/** Whether a proxy is believed, by its address and by how many were between it and here. */
type IsTrusted = (address: string, distance: number) => boolean;

/** `undefined` for a request that came from no trusted proxy, or of which it says nothing. */
type ForwardedOf = (sender: Sender) => Forwarded | undefined;

/** Throws `TypeError` for what names no proxies. `undefined`: none is believed. */
export function clientBehind(option: TrustProxy = false): ForwardedOf | undefined {
  const isWhole = typeof option === 'object' && option !== null && 'proxies' in option;
  const { proxies, header }: { proxies: Exclude<TrustProxy, TrustedProxies>; header?: ForwardedHeader } =
    isWhole ? option : { proxies: option };
  if (header !== undefined && header !== 'forwarded' && header !== 'x-forwarded-for') {
    throw new TypeError("trustProxy.header: write 'forwarded' or 'x-forwarded-for'");
  }
  if (proxies === false || proxies === 0) return undefined;
  const isTrusted = trustOf(proxies);
  return ({ remoteAddress, headers }) =>
    isTrusted(remoteAddress, 0)
      ? clientOfHops(remoteAddress, hopsOf(headers, header ?? headerSent(headers)), isTrusted)
      : undefined;
}

/**
 * The nearest that no trusted proxy stands behind: from the peer outwards each one is believed about who came to it, as long
 * as it is trusted itself. One that does not say who it was is the last that is known.
 */
function clientOfHops(peer: string, hops: Iterable<Hop>, isTrusted: IsTrusted): Forwarded | undefined {
  let client: Forwarded | undefined;
  let distance = 0;
  for (const { address, isSecure, host } of hops) {
    client = { remoteAddress: address ?? client?.remoteAddress ?? peer, isSecure, host };
    distance++;
    if (address === undefined || !isTrusted(address, distance)) break;
  }
  return client;
}

const named: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

function trustOf(proxies: number | string | readonly string[]): IsTrusted {
  if (typeof proxies === 'number') {
    if (!Number.isInteger(proxies) || proxies < 0) {
      throw new TypeError(`trustProxy: ${proxies} is no number of proxies; write 1, 2 or more`);
    }
    return (_, distance) => distance < proxies;
  }
  const entries = typeof proxies === 'string' ? proxies.split(',').map((entry) => entry.trim()) : proxies;
  if (!Array.isArray(entries) || !entries.every((entry) => typeof entry === 'string')) {
    throw new TypeError(
      "trustProxy: write how many proxies stand in front (1), or where they are: 'loopback', '10.0.0.0/8', or a list of such. " +
        '`true` would believe everybody who can reach this server',
    );
  }
  const ranges = entries.flatMap((entry) => (Object.hasOwn(named, entry) ? (named[entry] ?? []) : [entry]));
  return addressRanges('trustProxy', ranges);
}
