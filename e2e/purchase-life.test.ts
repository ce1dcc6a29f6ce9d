import { expect, type Page, test } from '@playwright/test'
import { itoTokenAbi } from '@tocsin/contracts/abi'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { productionEnv, startTestChain, startTestDatabase, testAccount } from '@tocsin/testkit'
import { decodeFunctionData, type Hex, parseEther } from 'viem'
import { displayModes, expectAccessible, takeScreenshots } from './accessible.ts'
import { closeByEscape } from './close-dialog.ts'
import { type LocalChain, openLocalChain } from './local-chain.ts'
import { type RunningProduct, runProduct } from './product.ts'
import { openConnectedDashboard, type ScriptedWallet } from './scripted-wallet.ts'
import { choosePlan, heartbeatsDisabled, openBuyer, openTab, readOrders, signIn, waitUntilAnchored } from './shop.ts'
import { expectToastIn } from './toasts.ts'

// Tests of the life cycle of a purchase after the wallet request. They use an external database,
// and an external chain on which only the tests mine blocks.

let database: Awaited<ReturnType<typeof startTestDatabase>>
let testChain: Awaited<ReturnType<typeof startTestChain>>
let databaseUrl: string
let env: Record<string, string>
let runningProduct: RunningProduct | undefined
let chain: LocalChain
let shop: { url: string; chainUrl: string; chain: LocalChain }

test.beforeAll(async () => {
  ;[database, testChain] = await Promise.all([startTestDatabase(), startTestChain()])
  const port = String(await findFreePort())
  const url = `http://localhost:${port}`
  databaseUrl = await database.createDatabase()
  const settings = { PORT: port, PUBLIC_URL: url, CONFIRMATIONS: '2', LOG_LEVEL: 'warn', ...heartbeatsDisabled }
  env = { ...productionEnv(databaseUrl, testChain), ...settings }
  runningProduct = await runProduct(env, 'Tocsin is up')
  chain = await openLocalChain({ url, chainUrl: testChain.url })
  shop = { url, chainUrl: testChain.url, chain }
  // The log begins with a key list. Wait until it is anchored, because its anchor mines a block.
  await waitUntilAnchored(url)
})
test.afterAll(async () => {
  await runningProduct?.stop()
  await Promise.all([database?.stop(), testChain?.stop()])
})
test.afterEach(async ({ browser }) => {
  await Promise.all(browser.contexts().map((context) => context.close()))
})

test('order: becomes active and shows the excess when it is overpaid', async ({ browser }) => {
  const { page, wallet, dialog, account } = await openBuyer(shop, browser)
  await choosePlan(page)
  wallet.respondNext('eth_sendTransaction', () => chain.transfer(account, '12.5'))
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(dialog.getByText('1/2')).toBeVisible()
  await checkPageState(page, 'in a block')
  await chain.mine()
  await expect(dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  await expect(
    dialog.getByText(/12\.5 ITO arrived, 2\.5 more than the price: contact support to have it sent back\.$/),
  ).toBeVisible()
  await checkPageState(page, 'active, overpaid')
  await page.goto(`${shop.url}/history?tab=payments`)
  await expect(page.getByText('2.5 ITO too much')).toBeVisible()
  await checkPageState(page, 'history, overpaid')
})

test('order: expires and can be created again when it is not paid in time', async ({ browser }) => {
  const { page, wallet, dialog, account } = await openBuyer(shop, browser)
  await choosePlan(page)
  wallet.rejectNext('eth_sendTransaction')
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(dialog.getByText(/^You cancelled/)).toBeVisible()
  await checkPageState(page, 'cancelled in the wallet')
  await backdateOrders(account, 40)
  await expect(dialog.getByRole('heading', { name: 'Order expired' })).toBeVisible()
  await expect(
    dialog.getByText(/^This purchase has expired\. A payment that is on its way still counts\./),
  ).toBeVisible()
  await checkPageState(page, 'expired')
  await dialog.getByRole('button', { name: 'Order again' }).click()
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(dialog.getByText('1/2')).toBeVisible()
  await chain.mine()
  await expect(dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  expect((await readOrders(shop, page.context())).map(({ status }) => status)).toEqual(['paid', 'expired'])
})

test('order: is paid when the wallet confirms after the time limit, and a new order can be created before that', async ({
  browser,
}) => {
  const { page, wallet, dialog, account } = await openBuyer(shop, browser)
  await choosePlan(page)
  const confirm = delayTransaction(wallet)
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(dialog.getByRole('heading', { name: 'Confirm in your wallet' })).toBeVisible()
  // The dialog shows this heading before it asks the wallet. Wait for the request, because a new
  // order would cancel one that was not sent yet.
  await expect.poll(() => wallet.sentTransactions).toHaveLength(1)
  await checkPageState(page, 'confirm in the wallet')
  await backdateOrders(account, 40)
  await expect(dialog.getByRole('heading', { name: 'Order expired' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Order again' }).click()
  wallet.rejectNext('eth_sendTransaction')
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(dialog.getByText(/^You cancelled/), 'a new request is sent while the old one is pending').toBeVisible()
  await closeByEscape(dialog)

  confirm(await chain.transfer(account, '10'))
  await page.getByRole('button', { name: 'Payment…' }).click()
  await expect(dialog.getByText('1/2')).toBeVisible()
  await chain.mine()
  await expect(dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  await checkPageState(page, 'active')
  const [secondOrder, firstOrder] = await readOrders(shop, page.context())
  expect([secondOrder?.status, firstOrder?.status].sort(), 'one payment activates one plan').toEqual(['open', 'paid'])
})

test('order: becomes active and is marked as late when the payment arrives after the time limit', async ({
  browser,
}) => {
  const { page, wallet, dialog, account } = await openBuyer(shop, browser)
  await choosePlan(page)
  const confirm = delayTransaction(wallet)
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(dialog.getByRole('heading', { name: 'Confirm in your wallet' })).toBeVisible()
  await backdateOrders(account, 40)
  await expect(dialog.getByRole('heading', { name: 'Order expired' })).toBeVisible()
  const reportResponse = page.waitForResponse(/\/api\/orders\/[^/]+\/transaction$/)
  await chain.setAutomine(false)
  try {
    confirm(await chain.transfer(account, '10'))
    // The server does not store a reported hash for an expired order. The payment watcher finds the
    // transfer once it is in a block.
    expect(await (await reportResponse).json()).toMatchObject({ status: 'expired', transactionHash: null })
    await chain.mine()
  } finally {
    await chain.setAutomine(true)
  }
  await expect(dialog.getByText('1/2')).toBeVisible()
  await chain.mine()
  await expect(dialog.getByText(/The payment arrived after the time limit and was honoured\.$/)).toBeVisible()
  await checkPageState(page, 'active, late')
  await page.goto(`${shop.url}/history?tab=payments`)
  await expect(page.getByText('After its time limit')).toBeVisible()
})

test('order: the plan is revoked and restored without a second payment when the chain reorganizes', async ({
  browser,
}) => {
  const { page, wallet, dialog } = await openBuyer(shop, browser)
  await choosePlan(page)
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(dialog.getByText('1/2')).toBeVisible()
  const [order] = await readOrders(shop, page.context())
  const rawTransaction = await chain.readRaw(`0x${order?.transactionHash?.slice(2)}`)

  await chain.reorg(1)
  await expect(dialog.getByRole('heading', { name: 'Payment rolled back' })).toBeVisible()
  await expect(
    dialog.getByText(/The payment usually comes back by itself; we keep watching\. Do not pay again\.$/),
  ).toBeVisible()
  await expect(dialog.getByRole('button', { name: /^(Pay|Try|Send|Order)/ })).toHaveCount(0)
  await checkPageState(page, 'rolled back')
  await chain.sendRaw(rawTransaction)
  await expect(dialog.getByText('1/2')).toBeVisible()
  await chain.mine()
  await expect(dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()

  await chain.reorg(2)
  await expect(dialog.getByRole('heading', { name: 'Payment rolled back' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(page.getByRole('button', { name: 'Payment…' })).toBeVisible()
  await expect(page.locator('main').getByText('Active', { exact: true })).toHaveCount(0)
  await checkPageState(page, 'plan revoked')
  await chain.sendRaw(rawTransaction)
  await chain.mine()
  await expect(page.locator('main').getByText('Active', { exact: true })).toBeVisible()
  expect(wallet.sentTransactions).toHaveLength(1)
})

test('order: the plan is queued when another plan is active', async ({ browser }) => {
  const { page, wallet, dialog, account } = await openBuyer(shop, browser)
  await choosePlan(page, '24 hours, 30 ITO')
  const confirm = delayTransaction(wallet)
  await dialog.getByRole('button', { name: 'Pay 30 ITO' }).click()
  await expect(dialog.getByRole('heading', { name: 'Confirm in your wallet' })).toBeVisible()

  const phone = await openTab(shop, await signIn(shop, browser, account), account)
  await choosePlan(phone.page)
  await phone.dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(phone.dialog.getByText('1/2')).toBeVisible()
  await chain.mine()
  await expect(phone.dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  await phone.page.close()

  confirm(await chain.transfer(account, '30'))
  await expect(dialog.getByText('1/2')).toBeVisible()
  await chain.mine()
  await expect(dialog.getByRole('heading', { name: 'Plan paid' })).toBeVisible()
  await expect(dialog.getByText('Queued', { exact: true })).toBeVisible()
  await expect(dialog.getByText(/^Your plan starts .+ UTC, when the running one ends\.$/)).toBeVisible()
  await expect(
    dialog.getByRole('listitem').filter({ hasText: 'Active' }),
    '"Active" is still the current step',
  ).toHaveAttribute('aria-current', 'step')
  await checkPageState(page, 'queued')
  await dialog.getByRole('button', { name: 'Open dashboard' }).click()
  await expect(page.getByText('Then 24 hours, paid and queued')).toBeVisible()
  await checkPageState(page, 'a queued plan on the dashboard')
  const [laterOrder, earlierOrder] = await readOrders(shop, page.context())
  const subscriptions = [laterOrder, earlierOrder].map((order) => order?.subscription)
  expect(subscriptions[1]?.startTime, 'the queued plan starts exactly when the first one ends').toBe(
    subscriptions[0]?.endTime,
  )
})

test('order: is not credited with a payment of another account when the wallet switches accounts', async ({
  browser,
}) => {
  const { page, wallet, dialog, account } = await openBuyer(shop, browser)
  await choosePlan(page)
  wallet.respondNext('eth_sendTransaction', () => chain.transfer(account, '6'))
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(dialog.getByText('1/2')).toBeVisible()
  await chain.mine()
  await expect(dialog.getByRole('heading', { name: 'Payment incomplete' })).toBeVisible()
  await checkPageState(page, 'incomplete')

  await wallet.switchAccount(3)
  await expect(dialog.getByText(/^The rest has to come from the account that sent the first part\./)).toBeVisible()
  await checkPageState(page, 'incomplete, another account')
  await dialog.getByRole('button', { name: 'Choose another wallet account' }).click()
  await closeByEscape(page.getByRole('dialog', { name: 'Connect Wallet' }))
  await wallet.switchAccount(account)

  const confirm = delayTransaction(wallet)
  await dialog.getByRole('button', { name: 'Send 4 ITO more' }).click()
  await expect(dialog.getByRole('heading', { name: 'Confirm in your wallet' })).toBeVisible()
  await wallet.switchAccount(3)
  confirm(await chain.transfer(3, '4'))
  await expect(dialog.getByText(/^This payment did not come from 0x/)).toBeVisible()
  await checkPageState(page, 'paid from another account')
  await wallet.switchAccount(account)
  await dialog.getByRole('button', { name: /^(Send 4 ITO more|Try again)$/ }).click()
  await expect(dialog.getByText('1/2')).toBeVisible()
  await chain.mine()
  await expect(dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  expect(wallet.sentTransactions.map(({ from }) => from?.toLowerCase())).toEqual(
    Array(3).fill(testAccount(account).address.toLowerCase()),
  )
})

test('order: is not credited when the wallet pays on another chain but reports the id of the payment chain', async ({
  browser,
}) => {
  const otherNode = await startTestChain()
  try {
    const { page, wallet, dialog, account, context } = await openBuyer(shop, browser)
    wallet.respondNext('wallet_switchEthereumChain', null)
    await choosePlan(page)
    await wallet.switchChain(1)
    await dialog.getByRole('button', { name: 'Switch to Local Chain' }).click()
    await expectToastIn(page, 'Network Switch Failed', 'Failed to switch to Local Chain. Please try manually.')
    await checkPageState(page, 'network switch failed')
    await page.close()

    // The wallet reports the right chain id but is connected to another chain with the same
    // contracts.
    const { url } = shop
    const otherChain = await openLocalChain({ url, chainUrl: otherNode.url })
    await otherChain.fund(account, { ito: '100' })
    const deceivedTab = await openTab({ url, chainUrl: otherNode.url, chain: otherChain }, context, account)
    await deceivedTab.page.clock.install()
    await choosePlan(deceivedTab.page)
    await deceivedTab.dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
    await expect(deceivedTab.dialog.getByRole('heading', { name: 'Payment sent' })).toBeVisible()
    await chain.mine(3)
    await otherChain.mine(3)
    await deceivedTab.page.clock.fastForward('11:00')
    await expect(deceivedTab.dialog.getByText(/^Not confirmed after 10 minutes\. It may still confirm/)).toBeVisible()
    await checkPageState(deceivedTab.page, 'not confirmed')
    await backdateOrders(account, 11)
    await expect(deceivedTab.dialog.getByRole('heading', { name: 'Payment dropped' })).toBeVisible()
    await checkPageState(deceivedTab.page, 'dropped')
    await expect(deceivedTab.page.locator('main').getByText('Active', { exact: true })).toHaveCount(0)
    await deceivedTab.page.close()

    const honestTab = await openTab(shop, context, account)
    await choosePlan(honestTab.page)
    await honestTab.dialog.getByRole('button', { name: /^(Pay 10 ITO|Try again)$/ }).click()
    await expect(honestTab.dialog.getByText('1/2')).toBeVisible()
    await chain.mine()
    await expect(honestTab.dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  } finally {
    await otherNode.stop()
  }
})

test.describe('when the server collects payments through a token allowance', () => {
  test.beforeAll(async () => {
    await runningProduct?.stop()
    // TREASURY_KEY is the private key of the test chain's treasury.
    runningProduct = await runProduct({ ...env, TREASURY_KEY: `0x${'7e'.repeat(32)}` }, 'Tocsin is up')
    await testChain.control.setBalance({ address: testChain.treasury, value: parseEther('1') })
    await waitUntilAnchored(shop.url)
  })

  test('order: requests an approval of exactly the price for the treasury and collects it', async ({ browser }) => {
    const { page, wallet, dialog, account } = await openBuyer(shop, browser)
    // An earlier, smaller allowance is replaced, not increased.
    await chain.approve(account, '3')
    await choosePlan(page)
    await expect(
      dialog.getByText(/^You approve exactly 10 ITO on Local Chain\. The server collects this amount and no more/),
    ).toBeVisible()
    await expect(dialog.getByText('Spender', { exact: true })).toBeVisible()
    await checkPageState(page, 'approve, confirm')
    wallet.rejectNext('eth_sendTransaction')
    await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
    await expect(dialog.getByText(/^You cancelled in your wallet\. Nothing was sent\.$/)).toBeVisible()

    const confirm = delayTransaction(wallet)
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await expect(dialog.getByRole('heading', { name: 'Approve in your wallet' })).toBeVisible()
    await checkPageState(page, 'approve in the wallet')
    await chain.setAutomine(false)
    try {
      confirm(await chain.approve(account, '10'))
      await expect(dialog.getByRole('heading', { name: 'Approval sent' })).toBeVisible()
      await checkPageState(page, 'approval sent')
      await page.reload()
      // Mine the approval before the server sends the transaction that collects the payment.
      // Otherwise this block would already confirm that transaction.
      await chain.mine()
    } finally {
      await chain.setAutomine(true)
    }
    await openConnectedDashboard(page)
    await page.getByRole('button', { name: 'Payment…' }).click()
    await expect(dialog.getByText('1/2')).toBeVisible()
    await chain.mine()
    await expect(dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
    await checkPageState(page, 'collected')
    expect(decodeApprovals(wallet)).toEqual(
      Array(2).fill({ contract: chain.token, spender: chain.treasury, amountWei: parseEther('10') }),
    )
    expect(await chain.allowance(account)).toBe(0n)
  })

  test('order: collects exactly the price without a wallet request when the allowance is already sufficient', async ({
    browser,
  }) => {
    const { page, wallet, dialog, account } = await openBuyer(shop, browser)
    await chain.approve(account, '250')
    await choosePlan(page)
    await chain.setAutomine(false)
    try {
      await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
      await expect(dialog.getByRole('heading', { name: /^(Approved|Payment sent)$/ })).toBeVisible()
      await checkPageState(page, 'collecting')
      await expect(dialog.getByRole('heading', { name: 'Payment sent' })).toBeVisible()
      await chain.mine()
    } finally {
      await chain.setAutomine(true)
    }
    await expect(dialog.getByText('1/2')).toBeVisible()
    await expect(dialog.getByText('240 ITO')).toBeVisible()
    await chain.mine()
    await expect(dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
    expect(wallet.sentTransactions).toEqual([])
    expect(await chain.allowance(account)).toBe(parseEther('240'))
  })
})

/** Moves the timestamps of the account's unpaid orders into the past. */
async function backdateOrders(account: number, minutes: number): Promise<void> {
  const shiftedColumns = ['created_at', 'expires_at', 'watched_until', 'tx_seen_at'].map(
    (column) => `${column} = ${column} - interval '${minutes} minutes'`,
  )
  const statement = `update orders set ${shiftedColumns} where paid_at is null and payer = '${testAccount(account).address}'`
  await database.execute(databaseUrl, statement)
}

/** Delays the wallet's response to the next transaction until the returned function is called. */
function delayTransaction(wallet: ScriptedWallet): (hash: Hex) => void {
  let resolveHash: (hash: Hex) => void = () => {}
  wallet.respondNext('eth_sendTransaction', new Promise<Hex>((resolve) => (resolveHash = resolve)))
  return resolveHash
}

let checkedStates = 0
/** Takes screenshots if enabled and checks accessibility, alternately on desktop and on phone. */
async function checkPageState(page: Page, state: string): Promise<void> {
  await takeScreenshots(page, state)
  checkedStates += 1
  await expectAccessible(page, state, [checkedStates % 2 === 0 ? displayModes.desktop : displayModes.phone])
}

/** Decodes the sent transactions. Throws unless each is a token approval. */
function decodeApprovals({ sentTransactions }: ScriptedWallet) {
  return sentTransactions.map(({ to, data = '0x' }) => {
    const { functionName, args } = decodeFunctionData({ abi: itoTokenAbi, data })
    if (functionName !== 'approve') throw new Error(`Unexpected contract call: ${functionName}`)
    return { contract: to, spender: args[0], amountWei: args[1] }
  })
}
