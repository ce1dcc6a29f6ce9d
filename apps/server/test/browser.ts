import type { TestIdentityProvider } from '@tocsin/testkit'
import { z } from 'zod'

export interface BrowserAnswer {
  status: number
  location: string
  json: Record<string, unknown>
  setCookies: string[]
}

type Provider = 'google' | 'linkedin'
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

let browserCount = 0

/**
 * An HTTP client with the cookies and the network address of one browser. Returns redirects instead
 * of following them.
 */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly #url: string
  readonly #address: string

  constructor(url: string) {
    browserCount += 1
    this.#url = url
    this.#address = `10.1.${browserCount >> 8}.${browserCount & 255}`
  }

  async ask(method: Method, path: string, body?: object, headers: Record<string, string> = {}): Promise<BrowserAnswer> {
    const answer = await fetch(new URL(path, this.#url), {
      method,
      redirect: 'manual',
      headers: {
        origin: this.#url,
        'x-forwarded-for': this.#address,
        'content-type': 'application/json',
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...headers,
      },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
    })
    const setCookies = answer.headers.getSetCookie()
    for (const line of setCookies) this.#keep(line)
    const text = await answer.text()
    const json = text.startsWith('{') ? z.record(z.string(), z.unknown()).parse(JSON.parse(text)) : {}
    return { status: answer.status, location: answer.headers.get('location') ?? '', json, setCookies }
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(/;\s*/)
    const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
    if (attributes.some((attribute) => /^(max-age=0|expires=thu, 01 jan 1970)/i.test(attribute)))
      this.cookies.delete(name)
    else this.cookies.set(name, value)
  }

  /**
   * Follows the redirect to the provider and signs in there. Returns the callback URL that the
   * provider redirects to.
   */
  async leaveFor(provider: Provider, query: Record<string, string> = {}): Promise<string> {
    const redirect = await this.ask('GET', `/api/auth/${provider}?${new URLSearchParams(query)}`)
    if (!/\/authorize\?/.test(redirect.location)) return redirect.location
    const providerResponse = await fetch(redirect.location, { redirect: 'manual' })
    await providerResponse.body?.cancel()
    return providerResponse.headers.get('location') ?? `the provider refused: ${providerResponse.status}`
  }

  /** Completes a sign-in with a provider. Returns the page on which it ends. */
  async travel(provider: Provider, query: Record<string, string> = {}): Promise<string> {
    const callbackUrl = await this.leaveFor(provider, query)
    return callbackUrl.startsWith(this.#url) ? (await this.ask('GET', callbackUrl)).location : callbackUrl
  }

  /** Returns the id of the signed-in account, or null. */
  async account(): Promise<string | null> {
    const { json } = await this.ask('GET', '/api/auth/user')
    const user = z.object({ id: z.string() }).nullable().parse(json.user)
    return user?.id ?? null
  }
}

/** Creates the identity that signs in at the provider next, and returns its email address. */
export function setNextIdentity(provider: TestIdentityProvider, name: string, change: object = {}): string {
  const email = `${name}@example.com`
  provider.person = { sub: `sub of ${name}`, email, email_verified: true, name: `The ${name}`, ...change }
  return email
}
