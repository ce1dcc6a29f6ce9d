/** Gives the browser a file to save. */
export function saveFile(name: string, content: string, type = 'application/json'): void {
  saveBlob(name, new Blob([content], { type }))
}

/** The same for content that was read as a file. */
export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

/** A table that was read as text: reading takes the byte order mark away, without which spreadsheets guess the encoding. */
export function saveCsv(name: string, csv: string): void {
  saveFile(`${name}-${new Date().toISOString().slice(0, 10)}.csv`, `\ufeff${csv}`, 'text/csv;charset=utf-8')
}
