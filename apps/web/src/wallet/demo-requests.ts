import { Observable } from '../browser/observable.ts'
import { ProviderError } from './provider-error.ts'

/** A request that the Demo Wallet asks the user to confirm. */
export type DemoRequest =
  | { kind: 'connect'; accounts: readonly string[]; chosen: number }
  | { kind: 'sign'; account: string; text: string }
  | { kind: 'send'; account: string; to: string; amount: string; contract: string | null; data: string | null }

/** The index of the chosen account; 0 for requests without a choice. */
type Choice = number

export type OpenRequest = {
  request: DemoRequest
  accept: (choice: Choice) => void
  reject: () => void
}

/** Holds the open request, at most one. `DemoWalletWindow` shows it. */
class DemoRequests extends Observable {
  #open: OpenRequest | null = null

  snapshot = (): OpenRequest | null => this.#open

  /** @throws ProviderError 4001 if the user rejects, -32002 if another request is open */
  ask(request: DemoRequest): Promise<Choice> {
    if (this.#open) return Promise.reject(new ProviderError(-32002, 'A request is already open.'))
    return new Promise((resolve, reject) => {
      this.#set({
        request,
        accept: (choice) => {
          this.#set(null)
          resolve(choice)
        },
        reject: () => {
          this.#set(null)
          reject(new ProviderError(4001, 'The user rejected the request.'))
        },
      })
    })
  }

  #set(openRequest: OpenRequest | null): void {
    this.#open = openRequest
    this.notify()
  }
}

export const demoRequests = new DemoRequests()
