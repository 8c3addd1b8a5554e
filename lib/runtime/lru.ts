/** Sets the entry as the newest of the map; beyond `limit` entries the one goes that was set longest ago, whose key is returned. */
export function setNewest<K, V>(map: Map<K, V>, key: K, value: V, limit: number): K | undefined {
  map.delete(key);
  map.set(key, value);
  if (map.size <= limit) return undefined;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
  return oldest;
}
