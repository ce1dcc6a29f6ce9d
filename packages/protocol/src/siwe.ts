/** Fields of a Sign-In with Ethereum message (EIP-4361, version 1). */
export interface SiweFields {
  /** Host, with the port unless it is the scheme's default. */
  domain: string
  /** Checksummed (EIP-55). */
  address: string
  statement: string
  uri: string
  chainId: number
  /** At least eight letters and digits. */
  nonce: string
  /** Both times are in the format of Date.toISOString(). */
  issuedAt: string
  expiresAt: string
}

/** Formats the exact message to sign, according to the grammar of EIP-4361. */
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
