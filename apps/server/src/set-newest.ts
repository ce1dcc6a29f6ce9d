/**
 * Sets an entry and moves it to the end of the map, so that the first entry is the least recently
 * used one. Deletes the first entry if the map then has more than `maxSize` entries.
 */
export function setNewest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, maxSize: number): void {
  map.delete(key)
  map.set(key, value)
  const [oldestKey] = map.keys()
  if (map.size > maxSize && oldestKey !== undefined) map.delete(oldestKey)
}
