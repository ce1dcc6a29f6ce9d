export function saveFile(name: string, content: string, type = 'application/json'): void {
  saveBlob(name, new Blob([content], { type }))
}

export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

/**
 * Downloads a CSV file as `<name>-<UTC date>.csv`. Adds a byte order mark, because spreadsheets
 * guess the encoding of files without it, and `Response.text()` removes it from responses.
 */
export function saveCsv(name: string, csv: string): void {
  saveFile(`${name}-${new Date().toISOString().slice(0, 10)}.csv`, `\ufeff${csv}`, 'text/csv;charset=utf-8')
}
