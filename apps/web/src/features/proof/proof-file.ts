import { proofTexts } from '../../texts/proof.tsx'

const texts = proofTexts.proofFile
/** Much larger than any proof file. */
const maxBytes = 1024 * 1024

/** Reads a chosen or dropped file as UTF-8 text; JSON is indented. */
export async function readProofFile(file: File): Promise<{ text: string } | { problem: string }> {
  if (file.size > maxBytes) return { problem: texts.thisFileIsOver1 }
  try {
    const bytes = await file.arrayBuffer()
    // A byte order mark stays, and then is no JSON.
    return { text: indent(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)) }
  } catch {
    return { problem: texts.fileCantBeRead }
  }
}

/** Indents JSON. Returns other text unchanged; the form reports the error. */
function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
