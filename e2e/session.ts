import { type BrowserContext, expect } from '@playwright/test'
import { testAccount } from '@tocsin/testkit'

interface Login {
  email: string
  password: string
}

/**
 * Signs the context in through the API. The tests whose subject is the sign-in, and `/auth` in
 * general, fill in the form instead: a page load and the form take a second of processor time.
 */
export async function startSession(context: BrowserContext, url: string, { email, password }: Login): Promise<void> {
  await post(context, url, '/api/auth/login', { email, password })
}

/** Proves for the session of the context that its user controls this test account. */
export async function proveWallet(context: BrowserContext, url: string, accountIndex: number): Promise<void> {
  const signer = testAccount(accountIndex)
  const challenge = await post(context, url, '/api/wallets/challenge', { walletAddress: signer.address })
  const { message }: { message: string } = await challenge.json()
  await post(context, url, '/api/wallets/prove', { message, signature: await signer.signMessage({ message }) })
}

async function post(context: BrowserContext, url: string, path: string, data: object) {
  const response = await context.request.post(url + path, { data, headers: { origin: url } })
  expect(response.status(), path).toBeLessThan(300)
  return response
}
