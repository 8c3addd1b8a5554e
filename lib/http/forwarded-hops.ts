import type { IncomingHttpHeaders } from 'node:http';
import { plainAddress } from '../formats/address-ranges.js';

/** What one proxy says about the request that it took: from where, over what, and for which host. */
export interface Hop {
  /** `undefined`: it does not know, does not tell, or told what is no address. */
  readonly address: string | undefined;
  readonly isSecure: boolean | undefined;
  readonly host: string | undefined;
}

/** Which headers the proxies write: those of RFC 7239, or the older ones that begin with `X-Forwarded-`. */
export type ForwardedHeader = 'forwarded' | 'x-forwarded-for';

/**
 * What the proxies say that a request came through, the nearest first: each adds its word at the end, so what clients make up
 * stands behind all that is true. A proxy that writes one kind of header passes the other one on as a client sent it; so
 * they are never mixed.
 */
export function* hopsOf(headers: IncomingHttpHeaders, header: ForwardedHeader): Generator<Hop> {
  if (header === 'forwarded') {
    for (const element of fromTheEnd(textOf(headers, 'forwarded'))) yield hopOfElement(element);
    return;
  }
  const schemes = [...fromTheEnd(textOf(headers, 'x-forwarded-proto'))];
  const hosts = [...fromTheEnd(textOf(headers, 'x-forwarded-host'))];
  const addresses = [...fromTheEnd(textOf(headers, 'x-forwarded-for'))];
  for (const [at, address] of (addresses.length > 0 ? addresses : ['']).entries()) {
    // Proxies that pass these two on, or replace them, leave fewer of them than there are addresses.
    const [scheme, host] = [schemes[at] ?? schemes.at(-1), hosts[at] ?? hosts.at(-1)];
    yield { address: nodeAddress(address), isSecure: isSecure(scheme), host: hostName(host) };
  }
}

/** The kind that is there, where nobody has said which: every proxy writes the older ones, and few the other. */
export const headerSent = (headers: IncomingHttpHeaders): ForwardedHeader =>
  headers.forwarded !== undefined &&
  ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host'].every((name) => headers[name] === undefined)
    ? 'forwarded'
    : 'x-forwarded-for';

/** Entries of one header that are read, empty ones too; what stands before them is not looked at. */
const maxEntries = 32;
/** Characters of one entry; a longer one is none, and ends the list. */
const maxEntryLength = 1024;

/** The entries of a list, the last one first. Commas in quotes separate nothing. */
function* fromTheEnd(list: string): Generator<string> {
  let end = list.length;
  for (let count = 0; count < maxEntries && end > 0; count++) {
    const begin = beginOfEntry(list, end);
    if (begin === undefined) return;
    const entry = list.slice(begin, end).trim();
    if (entry !== '') yield entry;
    end = begin - 1;
  }
}

/** Read backwards, because what a client has left open must not swallow what a proxy has added. */
function beginOfEntry(list: string, end: number): number | undefined {
  let isQuoted = false;
  for (let at = end - 1; at >= Math.max(0, end - maxEntryLength); at--) {
    const char = list[at];
    if (char === '"' && !isEscaped(list, at)) isQuoted = !isQuoted;
    else if (char === ',' && !isQuoted) return at + 1;
  }
  return end <= maxEntryLength ? 0 : undefined;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (backslashes < maxEntryLength && text[at - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

const parameter = /[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*))[ \t]*(?:;|$)/y;

/** `for=192.0.2.43;proto=https`; nothing is known of one that is malformed. */
function hopOfElement(element: string): Hop {
  const found = new Map<string, string>();
  for (let at = 0; at < element.length; at = parameter.lastIndex) {
    parameter.lastIndex = at;
    const [, name = '', quoted, plain = ''] = parameter.exec(element) ?? [];
    const key = name.toLowerCase();
    // The same one twice: one of them is somebody else's.
    if (key === '' || found.has(key)) return { address: undefined, isSecure: undefined, host: undefined };
    found.set(key, quoted?.replace(/\\(.)/g, '$1') ?? plain);
  }
  return {
    address: nodeAddress(found.get('for') ?? ''),
    isSecure: isSecure(found.get('proto')),
    host: hostName(found.get('host')),
  };
}

/** `192.0.2.43`, `2001:db8::1`, each with a port or without, with which an IPv6 address stands in brackets. */
export function nodeAddress(node: string): string | undefined {
  const [, inBrackets, beforePort] =
    /^(?:\[([^\]]{1,64})\]|([\d.]{1,15}))(?::(?:\d{1,5}|_[\w.-]{1,64}))?$/.exec(node) ?? [];
  return plainAddress(inBrackets ?? beforePort ?? node);
}

function isSecure(scheme = ''): boolean | undefined {
  if (/^(https|wss)$/i.test(scheme)) return true;
  return /^(http|ws)$/i.test(scheme) ? false : undefined;
}

/** As in `Host`; anything else is nobody's origin. */
const hostName = (host: string | undefined): string | undefined =>
  host !== undefined && /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i.test(host)
    ? host.toLowerCase()
    : undefined;

/** Several headers of one name are one list. */
function textOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return Array.isArray(value) ? value.join(',') : (value ?? '');
}
