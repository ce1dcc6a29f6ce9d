import { proofTexts } from '../../texts/proof.tsx'

const texts = proofTexts.proofFile
/** Far more than any proof has. */
const maxBytes = 1024 * 1024

/** The text of a file that someone has chosen or dropped. */
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

/** For reading. Text that is no JSON stays as it is: the form says what is wrong with it. */
function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
