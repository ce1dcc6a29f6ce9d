import { type BrowserContext, expect, type Page } from '@playwright/test'
import { testAccount } from '@tocsin/testkit'

export interface Login {
  email: string
  password: string
}

/**
 * Signs the context in through the API, because a page load and the form take a second of CPU time.
 * Only tests of the sign-in, and of `/auth` in general, fill in the form.
 */
export async function startSession(context: BrowserContext, url: string, { email, password }: Login): Promise<void> {
  await postJson(context, url, '/api/auth/login', { email, password })
}

/** Proves in the session of the context that the user controls the wallet of a test account. */
export async function proveWallet(context: BrowserContext, url: string, accountIndex: number): Promise<void> {
  const proof = await signChallenge(context, url, accountIndex, '/api/wallets/challenge')
  await postJson(context, url, '/api/wallets/prove', proof)
}

/** Requests a challenge at `path`, and returns its message with the signature of a test account. */
export async function signChallenge(
  context: BrowserContext,
  url: string,
  accountIndex: number,
  path: '/api/wallets/challenge' | '/api/auth/wallet/challenge',
  fields: { purpose?: 'confirm' } = {},
): Promise<{ message: string; signature: string }> {
  const signer = testAccount(accountIndex)
  const challenge = await postJson(context, url, path, { walletAddress: signer.address, ...fields })
  const { message }: { message: string } = await challenge.json()
  return { message, signature: await signer.signMessage({ message }) }
}

/** Confirms the identity of the user in the session of the context, with the password. */
export async function confirmByPassword(context: BrowserContext, url: string, { password }: Login): Promise<void> {
  await postJson(context, url, '/api/auth/confirm', { password })
}

/**
 * Confirms the identity of the user in the session of the context, with the wallet of a test
 * account. The wallet must be linked to the user's account.
 */
export async function confirmByWallet(context: BrowserContext, url: string, accountIndex: number): Promise<void> {
  const proof = await signChallenge(context, url, accountIndex, '/api/wallets/challenge', { purpose: 'confirm' })
  await postJson(context, url, '/api/auth/confirm-wallet', proof)
}

/**
 * Responds to the next non-GET request as the server does ten minutes after the last
 * authentication. Later requests reach the server. Server tests cover the expiry itself.
 */
export async function requireConfirmation(page: Page, url: string): Promise<void> {
  const refusal = { success: false, code: 'reauthentication_required', message: 'Confirm first', requestId: 'r' }
  let hasResponded = false
  await page.route(url, (route) => {
    if (hasResponded || route.request().method() === 'GET') return route.fallback()
    hasResponded = true
    return route.fulfill({ status: 403, json: refusal })
  })
}

const KEEP_CONFIRMED_MS = 120_000

/**
 * For `beforeEach`: confirms the identity again if the last confirmation was at least two minutes
 * ago. A sign-in or a confirmation is valid for ten minutes, and on a busy machine the tests of a
 * file take longer. Leaves the page first, because the confirmation renews the session cookie, and
 * the server would refuse a WebSocket that the page opens with the old cookie.
 */
export function keepConfirmed(confirm: () => Promise<void>, page?: () => Page): () => Promise<void> {
  let confirmedAtMs = Date.now()
  return async () => {
    if (Date.now() - confirmedAtMs < KEEP_CONFIRMED_MS) return
    await page?.().goto('about:blank')
    await confirm()
    confirmedAtMs = Date.now()
  }
}

/** Sends a POST request to the API, and expects that it succeeds. */
export async function postJson(context: BrowserContext, url: string, path: string, data: object) {
  const response = await context.request.post(url + path, { data, headers: { origin: url } })
  expect(response.status(), path).toBeLessThan(300)
  return response
}
