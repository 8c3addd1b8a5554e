/**
 * The client's query without parameters that are not its business, and with those of the target's own. `own` outdo the
 * client's of the same name; the rest stays as it was written.
 */
export function joinedQuery(
  sent: string,
  own: URLSearchParams,
  isRefused: (name: string) => boolean,
): string {
  if (sent === '' && own.size === 0) return '';
  const kept = sent.split('&').filter((pair) => {
    if (pair === '') return false;
    const name = nameOf(pair);
    return !own.has(name) && !isRefused(name);
  });
  const ours = own.toString();
  const query = [...kept, ...(ours === '' ? [] : [ours])].join('&');
  return query === '' ? '' : `?${query}`;
}

/** As a server would read it. */
function nameOf(pair: string): string {
  const [first] = new URLSearchParams(pair).keys();
  return first ?? '';
}
