/**
 * 0x71C7…976F: the first `head` characters (including 0x) and the last `tail`. Returns short values
 * unchanged.
 */
export function shortHex(value: string, head = 6, tail = 4): string {
  if (value.length <= head + tail + 1) return value
  return `${value.slice(0, head)}…${value.slice(-tail)}`
}

/** 46f7…fa92: a hash without 0x, shortened to `digits` characters at each end. */
export function shortHash(hash: string, digits = 4): string {
  return shortHex(hash.replace(/^0x/, ''), digits, digits)
}
