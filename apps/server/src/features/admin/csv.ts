/**
 * A table as RFC 4180 text, with a byte order mark so that spreadsheets read it as UTF-8. A field that a spreadsheet would take for a formula gets an
 * apostrophe in front.
 */
export function formatCsv(header: readonly string[], rows: readonly (readonly CsvField[])[]): string {
  return `\ufeff${formatCsvLines([header, ...rows])}`
}

/** More lines of it. */
export function formatCsvLines(rows: readonly (readonly CsvField[])[]): string {
  return rows.map((row) => `${row.map(formatField).join(',')}\r\n`).join('')
}

export type CsvField = string | number | boolean | null

function formatField(field: CsvField): string {
  if (field === null) return ''
  if (typeof field !== 'string') return String(field)
  const safe =
    /^[\s\p{C}]*[=+\-@|%\uff0b\uff0d\uff1d\uff20]/u.test(field) || /^[\t\r\n]/.test(field) ? `'${field}` : field
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
