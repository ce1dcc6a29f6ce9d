import { decodeReceipt, parseReceiptFile, type ReceiptFile, type ReceiptStatement } from '@tocsin/proof'

export interface ParsedReceipt {
  file: ReceiptFile
  statement: ReceiptStatement
}

/** Parses a receipt file without verifying it. `problem` is a sentence. */
export function readReceipt(text: string): ParsedReceipt | { problem: string } {
  try {
    const file = parseReceiptFile(JSON.parse(text))
    return { file, statement: decodeReceipt(new TextEncoder().encode(file.bytes)) }
  } catch (error) {
    const reason = error instanceof SyntaxError || !(error instanceof Error) ? 'It is not JSON.' : `${error.message}.`
    return { problem: `This file can’t be used as a receipt. ${reason}` }
  }
}
