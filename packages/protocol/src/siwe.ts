/** What a message of Sign-In with Ethereum (EIP-4361, version 1) says here. */
export interface SiweFields {
  /** Host, with its port where it is not the scheme's own. */
  domain: string
  /** Checksummed (EIP-55). */
  address: string
  statement: string
  uri: string
  chainId: number
  /** At least eight letters and digits. */
  nonce: string
  /** Both as Date.toISOString() writes them. */
  issuedAt: string
  expiresAt: string
}

/** The message to the byte: what one side signs, the other takes apart by the grammar of EIP-4361. */
export function formatSiwe(fields: SiweFields): string {
  const { domain, address, statement, uri, chainId, nonce, issuedAt, expiresAt } = fields
  return [
    `${domain} wants you to sign in with your Ethereum account:`,
    address,
    '',
    statement,
    '',
    `URI: ${uri}`,
    'Version: 1',
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt}`,
    `Expiration Time: ${expiresAt}`,
  ].join('\n')
}
