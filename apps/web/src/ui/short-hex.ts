/**
 * 0x71C7…976F: the first `headLength` characters (including 0x) and the last `tailLength`. Returns
 * short values unchanged.
 */
export function shortenHex(value: string, headLength = 6, tailLength = 4): string {
  if (value.length <= headLength + tailLength + 1) return value
  return `${value.slice(0, headLength)}…${value.slice(-tailLength)}`
}

/** 46f7…fa92: a hash without 0x, shortened to `digits` characters at each end. */
export function shortenHash(hash: string, digits = 4): string {
  return shortenHex(hash.replace(/^0x/, ''), digits, digits)
}
