import type { EIP1193Provider } from 'viem'
import { asProviderError, findRule, parseAnswer, parseEvent } from './wallet-answers.ts'
import { WalletError } from './wallet-error.ts'

type Listener = (value: unknown) => void
type Request = { method: string; params?: unknown }

/**
 * The only way to a browser wallet. Wallets are other people's code: this edge parses every answer
 * and every event, gives up on answers that never come, and turns whatever a wallet throws into an
 * error with a code. The rest of the site sees values of the promised shape or a WalletError or
 * ProviderError.
 */
class CheckedProvider {
  readonly #wallet: object
  /** The wallet's listener for each of ours, per event. */
  readonly #listeners = new Map<string, Map<Listener, Listener>>()
  /**
   * Methods whose last call timed out and is still open: asking again would only pile up requests.
   */
  readonly #silentMethods = new Set<string>()

  constructor(wallet: object) {
    this.#wallet = wallet
  }

  /** @throws WalletError, ProviderError */
  request = async ({ method, params }: Request): Promise<unknown> => {
    const { timeoutMs } = findRule(method)
    if (this.#silentMethods.has(method)) throw noAnswer(method)
    const call = this.#call({ method, ...(params === undefined ? {} : { params }) })
    return parseAnswer(method, timeoutMs === null ? await call : await this.#withTimeout(method, call, timeoutMs))
  }

  on = (event: string, listener: Listener): void => {
    const checked = (value: unknown) => {
      const parsed = parseEvent(event, value)
      if (parsed !== undefined) listener(parsed)
    }
    const listeners = this.#listeners.get(event) ?? new Map<Listener, Listener>()
    this.#listeners.set(event, listeners.set(listener, checked))
    this.#tryCall(['on', 'addListener'], event, checked)
  }

  removeListener = (event: string, listener: Listener): void => {
    const checked = this.#listeners.get(event)?.get(listener)
    if (!checked) return
    this.#listeners.get(event)?.delete(listener)
    this.#tryCall(['removeListener', 'off'], event, checked)
  }

  async #call(request: Request): Promise<unknown> {
    try {
      return await readFunction(this.#wallet, 'request')?.call(this.#wallet, request)
    } catch (error) {
      throw asProviderError(error)
    }
  }

  async #withTimeout(method: string, call: Promise<unknown>, timeoutMs: number): Promise<unknown> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        this.#silentMethods.add(method)
        reject(noAnswer(method))
      }, timeoutMs)
    })
    const end = () => {
      clearTimeout(timer)
      this.#silentMethods.delete(method)
    }
    call.then(end, end)
    return Promise.race([call, timeout])
  }

  /** Without events the wallet is polled, so a wallet that has none is no error. */
  #tryCall(names: readonly string[], ...args: unknown[]): void {
    try {
      for (const name of names) {
        const method = readFunction(this.#wallet, name)
        if (!method) continue
        method.apply(this.#wallet, args)
        return
      }
    } catch {
      // The poll finds out what its events would have told.
    }
  }
}

const checkedProviders = new WeakMap<object, EIP1193Provider>()

/** The checked provider of a wallet, always the same one. */
export function checkProvider(wallet: object): EIP1193Provider {
  const known = checkedProviders.get(wallet)
  if (known) return known
  // EIP1193Provider types the answer of each method; parseAnswer is what makes them true.
  const checked = new CheckedProvider(wallet) as unknown as EIP1193Provider
  checkedProviders.set(wallet, checked)
  // A second wrapping would be refused nothing, but would parse twice.
  checkedProviders.set(checked, checked)
  return checked
}

function readFunction(wallet: object, name: string): ((...args: unknown[]) => unknown) | undefined {
  const value: unknown = Reflect.get(wallet, name)
  // A function's type says nothing of its parameters.
  return typeof value === 'function' ? (value as (...args: unknown[]) => unknown) : undefined
}

const noAnswer = (method: string) =>
  new WalletError(
    'silent',
    'Your wallet did not answer. Open it, close the request that waits there, and try again.',
    `${method} was not answered`,
  )
