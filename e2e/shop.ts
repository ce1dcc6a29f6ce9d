import { type Browser, type BrowserContext, expect, type Page } from '@playwright/test'
import type { LogHead, Order } from '@tocsin/protocol'
import { testAccount } from '@tocsin/testkit'
import type { LocalChain } from './local-chain.ts'
import { installWallet, openConnectedDashboard, type ScriptedWallet } from './scripted-wallet.ts'
import { postJson, signChallenge } from './session.ts'
import { recordToasts } from './toasts.ts'

export interface Buyer {
  context: BrowserContext
  page: Page
  wallet: ScriptedWallet
  account: number
  dialog: ReturnType<Page['getByRole']>
}

type ChainAccess = { url: string; chainUrl: string; chain: LocalChain }

/**
 * Setting that disables heartbeats, for tests that count blocks. By default, a quiet log gets a
 * heartbeat every minute, and its anchor is a transaction in a block.
 */
export const heartbeatsDisabled = { HEARTBEAT_SECONDS: '0' }

/** Waits until the server has anchored its whole log. Each anchor mines a block. */
export async function waitUntilAnchored(url: string): Promise<void> {
  const isAnchored = async () => {
    const { size, anchored }: LogHead = await (await fetch(`${url}/api/log/head`)).json()
    return size > 0 && anchored?.size === size
  }
  await expect.poll(isAnchored).toBe(true)
}

/** Index of the next unused account. Only the first ten accounts are funded at genesis. */
let nextAccount = 20

/** Creates a buyer with the given balances, signs in with the wallet and opens the dashboard. */
export async function openBuyer(
  shop: ChainAccess,
  browser: Browser,
  { ito = '100', eth = '10', isConnected = true } = {},
): Promise<Buyer> {
  const account = nextAccount
  nextAccount += 1
  await shop.chain.fund(account, { ito, eth })
  return openTab(shop, await signIn(shop, browser, account), account, isConnected)
}

/**
 * Signs in with Ethereum through the API, in a context that records toasts. The first sign-in of a
 * wallet creates the account.
 */
export async function signIn({ url }: ChainAccess, browser: Browser, account: number): Promise<BrowserContext> {
  const context = await browser.newContext()
  await recordToasts(context)
  const proof = await signChallenge(context, url, account, '/api/auth/wallet/challenge')
  await postJson(context, url, '/api/auth/wallet', proof)
  return context
}

/** @param isConnected whether the site already has the permission of the wallet */
export async function openTab(
  { url, chainUrl }: ChainAccess,
  context: BrowserContext,
  account: number,
  isConnected = true,
): Promise<Buyer> {
  const page = await context.newPage()
  const wallet = await installWallet(page, { chainUrl, accountIndex: account, isConnected })
  await page.goto(`${url}/dashboard`)
  await openConnectedDashboard(page)
  return { context, page, wallet, account, dialog: page.getByRole('dialog') }
}

export async function choosePlan(page: Page, plan = '6 hours, 10 ITO'): Promise<void> {
  await page.getByRole('button', { name: `Select Plan: ${plan}` }).click()
  await expect(page.getByRole('dialog').getByRole('heading', { name: 'Confirm purchase' })).toBeVisible()
}

/**
 * Buys 6 hours for the account of the session, for tests whose subject is not the purchase. The
 * wallet has to be proved and to have 10 ITO.
 */
export async function buyPlan({ url, chain }: ChainAccess, context: BrowserContext, account: number): Promise<void> {
  const data = { planType: '6h', walletAddress: testAccount(account).address }
  const createResponse = await context.request.post(`${url}/api/orders`, { data, headers: { origin: url } })
  expect(createResponse.ok(), await createResponse.text()).toBe(true)
  await chain.transfer(account, '10')
  const isActive = async () => (await readOrders({ url }, context))[0]?.subscription != null
  await expect.poll(isActive).toBe(true)
}

/** Makes the page refetch its polled queries immediately, as when the user returns to the tab. */
export async function refetchPolledData(page: Page): Promise<void> {
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
}

/** Returns the orders of the signed-in account, newest first. */
export async function readOrders({ url }: Pick<ChainAccess, 'url'>, { request }: BrowserContext): Promise<Order[]> {
  const response = await request.get(`${url}/api/orders`)
  return (await response.json()).items
}
