import { ProviderError } from './provider-error.ts'

/** What the Demo Wallet asks its owner, as a wallet's window would. */
export type DemoQuestion =
  | { kind: 'connect'; accounts: readonly string[]; chosen: number }
  | { kind: 'sign'; account: string; text: string }
  | { kind: 'send'; account: string; to: string; amount: string; contract: string | null; data: string | null }

/** The index of the chosen account; 0 where there is nothing to choose. */
type Answer = number

export type OpenQuestion = {
  question: DemoQuestion
  accept: (answer: Answer) => void
  reject: () => void
}

/** Holds the one question that is open; `DemoWalletWindow` shows it. */
class DemoRequests {
  #open: OpenQuestion | null = null
  readonly #listeners = new Set<() => void>()

  snapshot = (): OpenQuestion | null => this.#open

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** @throws ProviderError 4001 when rejected, -32002 while another question is open */
  ask(question: DemoQuestion): Promise<Answer> {
    if (this.#open) return Promise.reject(new ProviderError(-32002, 'A request is already open.'))
    return new Promise((resolve, reject) => {
      this.#set({
        question,
        accept: (answer) => {
          this.#set(null)
          resolve(answer)
        },
        reject: () => {
          this.#set(null)
          reject(new ProviderError(4001, 'The user rejected the request.'))
        },
      })
    })
  }

  #set(open: OpenQuestion | null): void {
    this.#open = open
    for (const listener of this.#listeners) listener()
  }
}

export const demoRequests = new DemoRequests()
