/**
 * Formats a table as RFC 4180 CSV, with a byte order mark so that spreadsheets read it as UTF-8. A
 * field that a spreadsheet would evaluate as a formula is prefixed with an apostrophe.
 */
export function formatCsv(header: readonly string[], rows: readonly (readonly CsvField[])[]): string {
  return `\ufeff${formatCsvLines([header, ...rows])}`
}

/** Formats further rows without the header. */
export function formatCsvLines(rows: readonly (readonly CsvField[])[]): string {
  return rows.map((row) => `${row.map(formatField).join(',')}\r\n`).join('')
}

export type CsvField = string | number | boolean | null

function formatField(field: CsvField): string {
  if (field === null) return ''
  if (typeof field !== 'string') return String(field)
  const safeField =
    /^[\s\p{C}]*[=+\-@|%\uff0b\uff0d\uff1d\uff20]/u.test(field) || /^[\t\r\n]/.test(field) ? `'${field}` : field
  return /[",\r\n]/.test(safeField) ? `"${safeField.replaceAll('"', '""')}"` : safeField
}
