/** Characters that control the terminal or the text direction, and line separators. */
const unprintableChars = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\ud800-\udfff]/gu

/**
 * Makes untrusted text safe for a terminal: a single line with control characters escaped as \u{…}.
 */
export function printable(text: string): string {
  return text.replace(unprintableChars, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
}

/** Formats JSON that is safe to print: control characters have JSON escapes. */
export function printableJson(value: unknown): string {
  const json = JSON.stringify(value, null, 2)
  return json.replace(unprintableChars, (chars) => (chars === '\n' ? chars : escapeUnits(chars)))
}

function escapeUnits(chars: string): string {
  let escaped = ''
  for (let i = 0; i < chars.length; i++) escaped += `\\u${chars.charCodeAt(i).toString(16).padStart(4, '0')}`
  return escaped
}

const MAX_QUOTE_LENGTH = 120

/** Quotes untrusted text in a message. */
export function quote(text: string): string {
  const shortText = text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH)}…` : text
  return `“${printable(shortText)}”`
}
