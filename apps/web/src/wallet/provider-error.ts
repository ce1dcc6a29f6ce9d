/** An EIP-1193 error: wallets throw objects with a code. */
export class ProviderError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'ProviderError'
    this.code = code
  }
}
