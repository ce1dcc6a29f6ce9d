const hashPattern = /0x[0-9a-fA-F]{64}(?![0-9a-fA-F])/
const expectedFormat = 'Enter a transaction hash (0x and 64 hexadecimal digits) or a block explorer link.'

/** Parses a pasted transaction hash or block explorer link. `problem` is a message for the user. */
export function parseTransactionInput(text: string): { hash: string } | { problem: string } {
  const trimmed = text.trim()
  const match = hashPattern.exec(/^[0-9a-fA-F]{64}$/.test(trimmed) ? `0x${trimmed}` : trimmed)
  if (match) return { hash: match[0].toLowerCase() }
  if (trimmed === '') return { problem: `Paste the transaction first. ${expectedFormat}` }
  if (/^0x[0-9a-fA-F]{40}$/.test(trimmed)) return { problem: `This is an address. ${expectedFormat}` }
  return { problem: `This is not a transaction. ${expectedFormat}` }
}
