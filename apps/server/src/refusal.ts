import { type RefusalCode, refusalStatus } from '@tocsin/protocol'

/**
 * An expected error. `message` is for people and `code` for programs. All other errors are faults
 * (500).
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
