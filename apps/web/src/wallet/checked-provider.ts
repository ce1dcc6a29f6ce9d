import type { EIP1193Provider } from 'viem'
import { WalletError } from './wallet-error.ts'
import { findRule, parseEvent, parseResponse, toProviderError } from './wallet-responses.ts'

type Listener = (value: unknown) => void
type Request = { method: string; params?: unknown }

/**
 * A wrapper around a browser wallet that validates its responses. All calls of the wallet go
 * through it. Wallets are third-party code, so the wrapper parses every response and event, adds
 * timeouts and converts everything that a wallet throws to a WalletError or ProviderError.
 */
class CheckedProvider {
  readonly #wallet: object
  /**
   * For each event, maps the listener of the caller to the wrapped listener that the wallet
   * received.
   */
  readonly #listeners = new Map<string, Map<Listener, Listener>>()
  /**
   * Methods with a timed-out call that is still pending. New calls fail, so requests don't pile up.
   */
  readonly #timedOutMethods = new Set<string>()

  constructor(wallet: object) {
    this.#wallet = wallet
  }

  /** @throws WalletError, ProviderError */
  request = async ({ method, params }: Request): Promise<unknown> => {
    const { timeoutMs } = findRule(method)
    if (this.#timedOutMethods.has(method)) throw createTimeoutError(method)
    const call = this.#call({ method, ...(params === undefined ? {} : { params }) })
    return parseResponse(method, timeoutMs === null ? await call : await this.#withTimeout(method, call, timeoutMs))
  }

  on = (event: string, listener: Listener): void => {
    const checkedListener = (value: unknown) => {
      const parsed = parseEvent(event, value)
      if (parsed !== undefined) listener(parsed)
    }
    const listeners = this.#listeners.get(event) ?? new Map<Listener, Listener>()
    this.#listeners.set(event, listeners.set(listener, checkedListener))
    this.#tryCall(['on', 'addListener'], event, checkedListener)
  }

  removeListener = (event: string, listener: Listener): void => {
    const checkedListener = this.#listeners.get(event)?.get(listener)
    if (!checkedListener) return
    this.#listeners.get(event)?.delete(listener)
    this.#tryCall(['removeListener', 'off'], event, checkedListener)
  }

  async #call(request: Request): Promise<unknown> {
    try {
      return await readFunction(this.#wallet, 'request')?.call(this.#wallet, request)
    } catch (error) {
      throw toProviderError(error)
    }
  }

  async #withTimeout(method: string, call: Promise<unknown>, timeoutMs: number): Promise<unknown> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        this.#timedOutMethods.add(method)
        reject(createTimeoutError(method))
      }, timeoutMs)
    })
    const end = () => {
      clearTimeout(timer)
      this.#timedOutMethods.delete(method)
    }
    call.then(end, end)
    return Promise.race([call, timeout])
  }

  /**
   * Calls the first of the named methods that the wallet has. Ignores errors and missing methods,
   * because `pollAccount` detects changes of wallets without working events.
   */
  #tryCall(names: readonly string[], ...args: unknown[]): void {
    try {
      for (const name of names) {
        const method = readFunction(this.#wallet, name)
        if (!method) continue
        method.apply(this.#wallet, args)
        return
      }
    } catch {
      // Polling replaces the events.
    }
  }
}

const checkedProviders = new WeakMap<object, EIP1193Provider>()

/** The checked provider of a wallet. Returns the same object for the same wallet. */
export function checkProvider(wallet: object): EIP1193Provider {
  const knownProvider = checkedProviders.get(wallet)
  if (knownProvider) return knownProvider
  // The cast is safe: EIP1193Provider types the response of each method, and `parseResponse`
  // enforces these types.
  const checkedProvider = new CheckedProvider(wallet) as unknown as EIP1193Provider
  checkedProviders.set(wallet, checkedProvider)
  // Wrapping a checked provider again would parse everything twice.
  checkedProviders.set(checkedProvider, checkedProvider)
  return checkedProvider
}

function readFunction(wallet: object, name: string): ((...args: unknown[]) => unknown) | undefined {
  const value: unknown = Reflect.get(wallet, name)
  // Cast: `typeof` narrows the value to a function, but not the types of its parameters.
  return typeof value === 'function' ? (value as (...args: unknown[]) => unknown) : undefined
}

const createTimeoutError = (method: string) =>
  new WalletError(
    'timeout',
    'Your wallet did not respond. Open it, close the pending request and try again.',
    `${method} timed out`,
  )
