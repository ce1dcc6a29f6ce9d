/** Maximum size of a file. Proof files are much smaller. */
const maxBytes = 1024 * 1024

/** Reads a chosen or dropped file as UTF-8 text; JSON is indented. */
export async function readProofFile(file: File): Promise<{ text: string } | { problem: string }> {
  if (file.size > maxBytes) return { problem: 'This file is larger than 1 MB. No proof is that large.' }
  try {
    const bytes = await file.arrayBuffer()
    // A byte order mark is kept, so such a file is rejected as invalid JSON.
    return { text: indentJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)) }
  } catch {
    return { problem: 'The file can’t be read as text. Choose another file.' }
  }
}

/** Indents JSON. Returns other text unchanged. */
export function indentJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
