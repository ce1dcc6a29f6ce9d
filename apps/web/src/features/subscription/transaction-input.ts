import { purchaseTexts } from '../../texts/purchase.tsx'

const texts = purchaseTexts.transactionInput
const hash = /0x[0-9a-fA-F]{64}(?![0-9a-fA-F])/
const wanted = texts.transactionIs0xAnd64

/** The transaction that somebody has pasted, also out of an explorer's link; else why it is none, as a sentence. */
export function parseTransactionInput(text: string): { hash: string } | { problem: string } {
  const trimmed = text.trim()
  const found = hash.exec(/^[0-9a-fA-F]{64}$/.test(trimmed) ? `0x${trimmed}` : trimmed)
  if (found) return { hash: found[0].toLowerCase() }
  if (trimmed === '') return { problem: texts.pasteTheTransactionFirst({ wanted }) }
  if (/^0x[0-9a-fA-F]{40}$/.test(trimmed)) return { problem: texts.thisIsAnAddress({ wanted }) }
  return { problem: texts.thisIsNoTransaction({ wanted }) }
}
