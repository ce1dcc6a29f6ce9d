import { type Browser, expect, type Page, test } from '@playwright/test'
import { itoTokenAbi } from '@tocsin/contracts/abi'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { productionEnv, startTestChain, startTestDatabase } from '@tocsin/testkit'
import { decodeFunctionData, parseEther } from 'viem'
import { displayModes, expectAccessible, takeScreenshots } from './accessible.ts'
import { type LocalChain, openLocalChain } from './local-chain.ts'
import { type PhoneWallet, startPhoneWallet } from './phone-wallet.ts'
import { type RunningProduct, runProduct } from './product.ts'
import { choosePlan } from './shop.ts'
import { expectToastIn, recordToasts } from './toasts.ts'
import { startWalletRelay, type WalletRelay } from './wallet-relay.ts'

/**
 * Tests of WalletConnect with wallets on other devices, through a local relay, in a production
 * installation.
 */

const projectId = '0123456789abcdef'.repeat(2)
let database: Awaited<ReturnType<typeof startTestDatabase>>
let testChain: Awaited<ReturnType<typeof startTestChain>>
let runningProduct: RunningProduct | undefined
let relay: WalletRelay
let chain: LocalChain
let url: string
let phones: PhoneWallet[] = []

test.beforeAll(async () => {
  ;[database, testChain, relay] = await Promise.all([startTestDatabase(), startTestChain(), startWalletRelay()])
  const port = String(await findFreePort())
  url = `http://localhost:${port}`
  const env = { ...productionEnv(await database.createDatabase(), testChain), PORT: port, PUBLIC_URL: url }
  const walletConnect = { WALLETCONNECT_PROJECT_ID: projectId, WALLETCONNECT_RELAY_URL: relay.url }
  runningProduct = await runProduct({ ...env, ...walletConnect, LOG_LEVEL: 'warn' }, 'Tocsin is up')
  chain = await openLocalChain({ url, chainUrl: testChain.url })
})
test.afterAll(async () => {
  await runningProduct?.stop()
  await Promise.all([database?.stop(), testChain?.stop(), relay?.stop()])
})
test.afterEach(async ({ browser }) => {
  await Promise.all([...browser.contexts().map((context) => context.close()), ...phones.map((phone) => phone.stop())])
  phones = []
})

test('remote wallet: pairs, signs in, pays and disconnects, and the page contacts only its server and the relay', async ({
  browser,
}) => {
  const { page, phone, requests } = await preparePhone(browser, 30)
  await page.goto(`${url}/auth`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Sign in with a wallet' }).click()
  await expect(dialog.getByRole('button', { name: 'WalletConnect' })).toBeVisible()
  expect(requests.scripts(), 'WalletConnect scripts load only on demand').toEqual([])

  const link = await openPairing(page)
  expect(requests.scripts(), 'the WalletConnect library and the pairing panel').toHaveLength(2)
  await checkPageState(page, 'pairing')
  await dialog.getByRole('button', { name: 'Back to all wallets' }).click()
  await expect(dialog.getByText('Connection cancelled. Nothing was sent.')).toBeVisible()
  const secondLink = await openPairing(page)
  expect(secondLink).not.toBe(link)
  await phone.scan(secondLink)
  await expect(page.getByRole('heading', { name: 'Market Insights Dashboard' })).toBeVisible()
  expect(phone.requestedMethods).toEqual(['pairing', 'personal_sign'])

  await expect(page.getByRole('button', { name: 'Balance 100 ITO, refresh' })).toBeVisible()
  await page.reload()
  // Wait for the wallet: the dashboard is shown before the wallet has reconnected through the
  // relay.
  await expect(page.getByRole('button', { name: 'Balance 100 ITO, refresh' })).toBeVisible()
  await choosePlan(page)
  await expect(dialog.getByText(/0\.0+\d+ ETH/), 'the page estimates the fee through its own node').toBeVisible()
  phone.rejectNext('eth_sendTransaction')
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(dialog.getByText(/^You cancelled in your wallet\. Nothing was sent\.$/)).toBeVisible()

  await phone.switchChain(1)
  await dialog.getByRole('button', { name: 'Switch to Local Chain' }).click()
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await expect(dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  expect(phone.sentTransactions.map(decodeTransfer)).toEqual(
    Array(2).fill({ contract: chain.token, to: chain.treasury, amountWei: parseEther('10') }),
  )
  await dialog.getByRole('button', { name: 'Open dashboard' }).click()

  await phone.endSession()
  await expect(page.getByRole('button', { name: 'Connect Wallet' }).first()).toBeVisible()
  expect(requests.hosts(), 'only this site and the relay').toEqual([new URL(relay.url).host, new URL(url).host].sort())
  const unencryptedFields = relay.requests
    .filter(({ from }) => from === 'page')
    .flatMap(({ params }) => Object.keys(params))
  expect(unencryptedFields, 'request details are encrypted').not.toContain('tvf')
})

test('remote wallet: a rejected pairing can be retried, and the wallet is notified when the page disconnects', async ({
  browser,
}) => {
  const { page, phone } = await preparePhone(browser, 31)
  await page.goto(`${url}/auth`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Sign in with a wallet' }).click()
  phone.rejectNext('pairing')
  await phone.scan(await openPairing(page))
  await expect(dialog.getByText('You cancelled in your wallet. Nothing was sent.')).toBeVisible()
  await phone.scan(await openPairing(page))
  await expect(page.getByRole('heading', { name: 'Market Insights Dashboard' })).toBeVisible()
  await page.getByRole('button', { name: 'Disconnect wallet' }).click()
  await expectToastIn(page, 'Wallet Disconnected', 'Your wallet has been disconnected successfully')
  await expect.poll(() => phone.requestedMethods.at(-1)).toBe('disconnect')
  await page.reload()
  await page.getByRole('button', { name: 'Connect Wallet' }).first().click()
  await expect(dialog.getByRole('button', { name: 'WalletConnect' })).toBeVisible()
})

test('remote wallet: an error is shown and other wallets stay available when the relay is unreachable', async ({
  browser,
}) => {
  const { page } = await preparePhone(browser, 32)
  await page.clock.install()
  await page.goto(`${url}/auth`)
  await page.routeWebSocket(/127\.0\.0\.1/, (socket) => socket.close())
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Sign in with a wallet' }).click()
  await dialog.getByRole('button', { name: 'WalletConnect' }).click()
  await expect(dialog.getByText('Connecting to the relay…')).toBeVisible()
  await page.clock.fastForward('00:15')
  await expect(findRelayError(page)).toBeVisible()
  await checkPageState(page, 'relay unreachable')
  await expect(dialog.getByRole('button', { name: 'WalletConnect' })).toBeEnabled()
})

/** Funds an account with 100 ITO and returns a new page and an unpaired phone wallet for it. */
async function preparePhone(browser: Browser, accountIndex: number) {
  await chain.fund(accountIndex, { ito: '100' })
  const phone = await startPhoneWallet({ relayUrl: relay.url, projectId, chainUrl: testChain.url, accountIndex })
  phones.push(phone)
  const context = await browser.newContext()
  await recordToasts(context)
  const page = await context.newPage()
  return { page, phone, requests: recordRequests(page) }
}

/** Records the hosts and scripts that the page requests. */
function recordRequests(page: Page) {
  const urls: string[] = []
  page.on('request', (request) => urls.push(request.url()))
  page.on('websocket', (socket) => urls.push(socket.url()))
  return {
    hosts: () => [...new Set(urls.filter((one) => /^(http|ws)/.test(one)).map((one) => new URL(one).host))].sort(),
    scripts: () => urls.filter((one) => /index\.es-|pairing-panel-/.test(one)),
  }
}

/**
 * Chooses WalletConnect in the open dialog and waits for the QR code. The page waits twelve seconds
 * for the library and the relay, so on a busy machine this tries three times.
 * @returns the pairing link
 */
async function openPairing(page: Page): Promise<string> {
  const code = page.getByRole('img', { name: 'QR code for your wallet' })
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    await page.getByRole('dialog').getByRole('button', { name: 'WalletConnect' }).click()
    // The error of an earlier attempt is removed a moment after the click.
    await expect(findRelayError(page)).toHaveCount(0)
    await expect(code.or(findRelayError(page))).toBeVisible()
    if (await code.isVisible()) break
  }
  await expect(code).toBeVisible()
  return (await page.getByRole('link', { name: 'Open a wallet on this device' }).getAttribute('href')) ?? ''
}

const findRelayError = (page: Page) => page.getByRole('dialog').getByText(/^The WalletConnect relay can’t be reached/)

async function checkPageState(page: Page, state: string): Promise<void> {
  await takeScreenshots(page, state)
  await expectAccessible(page, state, [displayModes.phone])
}

function decodeTransfer({ to, data = '0x' }: PhoneWallet['sentTransactions'][number]) {
  const { functionName, args } = decodeFunctionData({ abi: itoTokenAbi, data })
  if (functionName !== 'transfer') throw new Error(`Unexpected contract call: ${functionName}`)
  return { contract: to, to: args[0], amountWei: args[1] }
}
