import { type RefusalCode, refusalStatus } from '@tocsin/protocol'

/**
 * An expected no: `message` is a sentence for a person, `code` for a program. Anything else that is thrown is a fault (500).
 */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly status: number
  readonly details: Record<string, string | number> | undefined

  constructor(code: RefusalCode, message: string, details?: Record<string, string | number>) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.status = refusalStatus[code]
    this.details = details
  }
}
