const hash = /0x[0-9a-fA-F]{64}(?![0-9a-fA-F])/
const wanted = 'A transaction is 0x and 64 hexadecimal digits, or a block explorer’s link to it.'

/**
 * The transaction that somebody has pasted, also out of an explorer's link; else why it is none, as
 * a sentence.
 */
export function parseTransactionInput(text: string): { hash: string } | { problem: string } {
  const trimmed = text.trim()
  const found = hash.exec(/^[0-9a-fA-F]{64}$/.test(trimmed) ? `0x${trimmed}` : trimmed)
  if (found) return { hash: found[0].toLowerCase() }
  if (trimmed === '') return { problem: `Paste the transaction first. ${wanted}` }
  if (/^0x[0-9a-fA-F]{40}$/.test(trimmed)) return { problem: `This is an address. ${wanted}` }
  return { problem: `This is not a transaction. ${wanted}` }
}
