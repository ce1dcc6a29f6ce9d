const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Base64 of RFC 4648 section 4, with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = ''
  for (let index = 0; index < bytes.length; index += 3) {
    const group = ((bytes[index] ?? 0) << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0)
    const letters = [18, 12, 6, 0].map((shift) => alphabet.charAt((group >> shift) & 63)).join('')
    const usedDigitCount = Math.min(bytes.length - index, 3) + 1
    text += letters.slice(0, usedDigitCount).padEnd(4, '=')
  }
  return text
}

/**
 * Accepts only what encodeBase64 produces: padded, without whitespace, and with zero in unused
 * bits.
 * @throws Error on any other text
 */
export function decodeBase64(text: string): Uint8Array {
  const digits = text.replace(/={1,2}$/, '')
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4))
  for (let index = 0; index < bytes.length; index++) {
    const first = Math.floor((index * 8) / 6)
    const twelveBits = (getDigitValue(digits, first) << 6) | getDigitValue(digits, first + 1)
    bytes[index] = (twelveBits >> (4 - ((index * 8) % 6))) & 255
  }
  if (encodeBase64(bytes) !== text) throw new Error('The text is not base64')
  return bytes
}

/**
 * Invalid characters count as zero. decodeBase64 detects them, because encoding again gives a
 * different text.
 */
function getDigitValue(digits: string, at: number): number {
  return Math.max(0, alphabet.indexOf(digits.charAt(at)))
}
