/**
 * A place that the target names (`Location`), as the client may be told it: relative to the URL that it asked for, because
 * only the client knows what hosts and proxies put in front of that. `undefined` for places outside of the target.
 */
export function locationForClient(
  value: string,
  asked: {
    readonly base: URL;
    /** Path behind the base, as sent. */
    readonly rest: string;
    /** The same, as the client asked for it before redirects were followed. Default: `rest`. */
    readonly asked?: string;
  },
): string | undefined {
  const place = resolved(value, asked);
  if (!place || place.origin !== asked.base.origin || !place.pathname.startsWith(asked.base.pathname)) {
    return undefined;
  }
  // What the gateway added for itself.
  for (const name of asked.base.searchParams.keys()) place.searchParams.delete(name);
  const rest = place.pathname.slice(asked.base.pathname.length);
  const up = '../'.repeat((asked.asked ?? asked.rest).split('/').length - 1);
  return `${up === '' ? './' : up}${rest}${place.search}${place.hash}`;
}

/** Where it is for the target itself; `undefined` for what is no URL of the web. */
export function resolved(value: string, { base, rest }: { base: URL; rest: string }): URL | undefined {
  const from = new URL(base);
  from.pathname = base.pathname + rest;
  from.search = '';
  if (!URL.canParse(value, from.href)) return undefined;
  const place = new URL(value, from);
  return /^https?:$/.test(place.protocol) ? place : undefined;
}
