/** `change` of every item, in order, at most `limit` of them under way. The first failure rejects. */
export async function mapLimited<T, R>(
  items: readonly T[],
  limit: number,
  change: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < items.length; at = next++) {
      const item = items[at];
      if (item !== undefined) results[at] = await change(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}
