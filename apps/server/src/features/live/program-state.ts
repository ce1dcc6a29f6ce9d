import type { ContractEvidence, StreamChallenge } from '../wallets/stream-challenge.ts'

/**
 * The challenge of a program without a session, and what the program has proved. Unused for a page.
 */
export class ProgramState {
  #challenge: StreamChallenge | null = null
  #evidence: ContractEvidence | null = null
  #keyId: string | null = null
  #usesSummaryFormat = false

  /** The signature that the wallet's contract accepted; null if the wallet's own key signed. */
  get evidence(): ContractEvidence | null {
    return this.#evidence
  }

  /** The API key that authenticated the socket, or null. */
  get keyId(): string | null {
    return this.#keyId
  }

  /** True if the program asked for the summary format. */
  get usesSummaryFormat(): boolean {
    return this.#usesSummaryFormat
  }

  setChallenge(challenge: StreamChallenge): void {
    this.#challenge = challenge
  }

  /** Returns the open challenge at most once, because each challenge allows only one attempt. */
  consumeChallenge(): StreamChallenge | null {
    const challenge = this.#challenge
    this.#challenge = null
    return challenge
  }

  acceptProof({
    evidence,
    usesSummaryFormat,
  }: {
    evidence: ContractEvidence | null
    usesSummaryFormat: boolean
  }): void {
    this.#evidence = evidence
    this.#keyId = null
    this.#usesSummaryFormat = usesSummaryFormat
  }

  acceptKey({ keyId, usesSummaryFormat }: { keyId: string; usesSummaryFormat: boolean }): void {
    this.#evidence = null
    this.#keyId = keyId
    this.#usesSummaryFormat = usesSummaryFormat
  }
}
