/** What moves the cursor, recolours, rings, or turns the direction of text; and what ends a line. */
const dangerous = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\ud800-\udfff]/gu

/** Text from elsewhere as a terminal may show it: one line, whatever would act on the terminal written out as \u{…}. */
export function printable(text: string): string {
  return text.replace(dangerous, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
}

/** JSON that is safe to print: everything that acts on a terminal is escaped the way JSON does it. */
export function printableJson(value: unknown): string {
  const json = JSON.stringify(value, null, 2)
  return json.replace(dangerous, (chars) => (chars === '\n' ? chars : escapeUnits(chars)))
}

function escapeUnits(chars: string): string {
  let escaped = ''
  for (let i = 0; i < chars.length; i++) escaped += `\\u${chars.charCodeAt(i).toString(16).padStart(4, '0')}`
  return escaped
}

const LONGEST_QUOTE = 120

/** A piece of foreign text inside a sentence of ours. */
export function quote(text: string): string {
  const short = text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text
  return `“${printable(short)}”`
}
