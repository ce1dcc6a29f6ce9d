import { expect, type Page, test } from '@playwright/test'
import type { LogHead } from '@tocsin/protocol'
import { productionEnv, startTestChain, startTestDatabase, testAccount } from '@tocsin/testkit'
import { decodeFunctionData, type Hex, parseEther } from 'viem'
import { displayModes, expectAccessible, takeScreenshots } from './accessible.ts'
import { closeByEscape } from './close-dialog.ts'
import { type LocalChain, openLocalChain, tokenAbi } from './local-chain.ts'
import { freePort, type Running, run } from './product.ts'
import type { ScriptedWallet } from './scripted-wallet.ts'
import { choosePlan, openBuyer, openTab, readOrders, signIn } from './shop.ts'

/**
 * What can become of a purchase after the wallet was asked, on an operator's own database and
 * chain: nobody mines there but the journeys.
 */

let database: Awaited<ReturnType<typeof startTestDatabase>>
let payments: Awaited<ReturnType<typeof startTestChain>>
let databaseUrl: string
let env: Record<string, string>
let running: Running | undefined
let chain: LocalChain
let shop: { url: string; chainUrl: string; chain: LocalChain }

test.beforeAll(async () => {
  ;[database, payments] = await Promise.all([startTestDatabase(), startTestChain()])
  const port = String(await freePort())
  const url = `http://localhost:${port}`
  databaseUrl = await database.createDatabase()
  env = { ...productionEnv(databaseUrl, payments), PORT: port, PUBLIC_URL: url, CONFIRMATIONS: '2', LOG_LEVEL: 'warn' }
  running = await run(env, 'Tocsin is up')
  chain = await openLocalChain({ url, chainUrl: payments.url })
  shop = { url, chainUrl: payments.url, chain }
  await untilNothingMines()
})
test.afterAll(async () => {
  await running?.stop()
  await Promise.all([database?.stop(), payments?.stop()])
})
test.afterEach(async ({ browser }) => {
  await Promise.all(browser.contexts().map((context) => context.close()))
})

test('more than the price is honoured, and the page says by how much', async ({ browser }) => {
  const { page, wallet, dialog, account } = await openBuyer(shop, browser)
  await choosePlan(page)
  wallet.respondNext('eth_sendTransaction', () => chain.transfer(account, '12.5'))
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(dialog.getByText('1/2')).toBeVisible()
  await look(page, 'in a block')
  await chain.mine()
  await expect(dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  await expect(
    dialog.getByText(/12\.5 ITO arrived, 2\.5 more than the price: contact support to have it sent back\.$/),
  ).toBeVisible()
  await look(page, 'active, overpaid')
  await page.goto(`${shop.url}/history?tab=payments`)
  await expect(page.getByText('2.5 ITO too much')).toBeVisible()
  await look(page, 'history, overpaid')
})

test('an order that nobody paid in time asks to be made again, at the price of then', async ({ browser }) => {
  const { page, wallet, dialog, account } = await openBuyer(shop, browser)
  await choosePlan(page)
  wallet.rejectNext('eth_sendTransaction')
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(dialog.getByText(/^You cancelled/)).toBeVisible()
  await look(page, 'cancelled in the wallet')
  await letPass(account, 40)
  await expect(dialog.getByRole('heading', { name: 'Order expired' })).toBeVisible()
  await expect(dialog.getByText(/^The time to pay is over\. A payment that is on its way still counts\./)).toBeVisible()
  await look(page, 'expired')
  await dialog.getByRole('button', { name: 'Order again' }).click()
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(dialog.getByText('1/2')).toBeVisible()
  await chain.mine()
  await expect(dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  expect((await readOrders(shop, page)).map(({ status }) => status)).toEqual(['paid', 'expired'])
})

test('a wallet that confirms when the time is over: honoured, and nobody is held up until then', async ({
  browser,
}) => {
  const { page, wallet, dialog, account } = await openBuyer(shop, browser)
  await choosePlan(page)
  const confirm = hang(wallet)
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(dialog.getByRole('heading', { name: 'Confirm in your wallet' })).toBeVisible()
  await look(page, 'confirm in the wallet')
  await letPass(account, 40)
  await expect(dialog.getByRole('heading', { name: 'Order expired' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Order again' }).click()
  wallet.rejectNext('eth_sendTransaction')
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(dialog.getByText(/^You cancelled/), 'the wallet is asked, whatever still waits there').toBeVisible()
  await page.keyboard.press('Escape')

  confirm(await chain.transfer(account, '10'))
  await page.getByRole('button', { name: 'Payment…' }).click()
  await expect(dialog.getByText('1/2')).toBeVisible()
  await chain.mine()
  await expect(dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  await look(page, 'active')
  const [again, first] = await readOrders(shop, page)
  expect([again?.status, first?.status].sort(), 'one payment, one plan').toEqual(['open', 'paid'])
})

test('what comes after the time limit is honoured, and said to be late', async ({ browser }) => {
  const { page, wallet, dialog, account } = await openBuyer(shop, browser)
  await choosePlan(page)
  const confirm = hang(wallet)
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(dialog.getByRole('heading', { name: 'Confirm in your wallet' })).toBeVisible()
  await letPass(account, 40)
  await expect(dialog.getByRole('heading', { name: 'Order expired' })).toBeVisible()
  const isReported = page.waitForResponse(/\/api\/orders\/[^/]+\/transaction$/)
  await chain.setAutomine(false)
  try {
    confirm(await chain.transfer(account, '10'))
    // In no block yet: the server keeps no report for an order whose time is over, and finds the
    // transfer itself.
    expect(await (await isReported).json()).toMatchObject({ status: 'expired', transactionHash: null })
    await chain.mine()
  } finally {
    await chain.setAutomine(true)
  }
  await expect(dialog.getByText('1/2')).toBeVisible()
  await chain.mine()
  await expect(dialog.getByText(/It arrived after the time limit and was honoured\.$/)).toBeVisible()
  await look(page, 'active, late')
  await page.goto(`${shop.url}/history?tab=payments`)
  await expect(page.getByText('After its time limit')).toBeVisible()
})

test('rolled back before and after it counted: waited for, taken away, given back, never paid twice', async ({
  browser,
}) => {
  const { page, wallet, dialog } = await openBuyer(shop, browser)
  await choosePlan(page)
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(dialog.getByText('1/2')).toBeVisible()
  const [order] = await readOrders(shop, page)
  const bytes = await chain.readRaw(`0x${order?.transactionHash?.slice(2)}`)

  await chain.reorg(1)
  await expect(dialog.getByRole('heading', { name: 'Payment rolled back' })).toBeVisible()
  await expect(
    dialog.getByText(/It usually comes back by itself; we keep watching\. Do not pay again\.$/),
  ).toBeVisible()
  await expect(dialog.getByRole('button', { name: /^(Pay|Try|Send|Order)/ })).toHaveCount(0)
  await look(page, 'rolled back')
  await chain.sendRaw(bytes)
  await expect(dialog.getByText('1/2')).toBeVisible()
  await chain.mine()
  await expect(dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()

  await chain.reorg(2)
  await expect(dialog.getByRole('heading', { name: 'Payment rolled back' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(page.getByRole('button', { name: 'Payment…' })).toBeVisible()
  await expect(page.locator('main').getByText('Active', { exact: true })).toHaveCount(0)
  await look(page, 'the plan is taken away')
  await chain.sendRaw(bytes)
  await chain.mine()
  await expect(page.locator('main').getByText('Active', { exact: true })).toBeVisible()
  expect(wallet.sent).toHaveLength(1)
})

test('a second plan that is paid while one runs waits for its end', async ({ browser }) => {
  const { page, wallet, dialog, account } = await openBuyer(shop, browser)
  await choosePlan(page, '24 hours, 30 ITO')
  const confirm = hang(wallet)
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
  await expect(dialog.getByRole('listitem').filter({ hasText: 'Active' }), 'not yet').toHaveAttribute(
    'aria-current',
    'step',
  )
  await look(page, 'queued')
  await dialog.getByRole('button', { name: 'Open dashboard' }).click()
  await expect(page.getByText('Then 24 hours, paid and queued')).toBeVisible()
  await look(page, 'a queued plan on the dashboard')
  const [later, earlier] = await readOrders(shop, page)
  const starts = [later, earlier].map((order) => order?.subscription)
  expect(starts[1]?.startTime, 'to the millisecond').toBe(starts[0]?.endTime)
})

test('another account in mid-flow pays neither the rest nor in the first one’s name', async ({ browser }) => {
  const { page, wallet, dialog, account } = await openBuyer(shop, browser)
  await choosePlan(page)
  wallet.respondNext('eth_sendTransaction', () => chain.transfer(account, '6'))
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(dialog.getByText('1/2')).toBeVisible()
  await chain.mine()
  await expect(dialog.getByRole('heading', { name: 'Payment incomplete' })).toBeVisible()
  await look(page, 'incomplete')

  await wallet.switchAccount(3)
  await expect(dialog.getByText(/^The rest has to come from the wallet that sent the first part\./)).toBeVisible()
  await look(page, 'incomplete, another account')
  await dialog.getByRole('button', { name: 'Choose another account' }).click()
  await closeByEscape(page.getByRole('dialog', { name: 'Connect Wallet' }))
  await wallet.switchAccount(account)

  const confirm = hang(wallet)
  await dialog.getByRole('button', { name: 'Send 4 ITO more' }).click()
  await expect(dialog.getByRole('heading', { name: 'Confirm in your wallet' })).toBeVisible()
  await wallet.switchAccount(3)
  confirm(await chain.transfer(3, '4'))
  await expect(dialog.getByText(/^This payment did not come from 0x/)).toBeVisible()
  await look(page, 'paid by a stranger')
  await wallet.switchAccount(account)
  await dialog.getByRole('button', { name: /^(Send 4 ITO more|Try again)$/ }).click()
  await expect(dialog.getByText('1/2')).toBeVisible()
  await chain.mine()
  await expect(dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  expect(wallet.sent.map(({ from }) => from?.toLowerCase())).toEqual(
    Array(3).fill(testAccount(account).address.toLowerCase()),
  )
})

test('a wallet that lies about its chain gets nothing for it', async ({ browser }) => {
  const elsewhere = await startTestChain()
  try {
    const { page, wallet, dialog, account, context } = await openBuyer(shop, browser)
    wallet.respondNext('wallet_switchEthereumChain', null)
    await choosePlan(page)
    await wallet.switchChain(1)
    await dialog.getByRole('button', { name: 'Switch to Local Chain' }).click()
    await expect(page.getByText('Failed to switch to Local Chain. Please try manually.').first()).toBeVisible()
    await look(page, 'a wallet that did not switch')
    await page.close()

    // It says that it is on the right chain, and is on another one where all looks the same.
    const { url } = shop
    const lie = await openLocalChain({ url, chainUrl: elsewhere.url })
    await lie.fund(account, { ito: '100' })
    const liar = await openTab({ url, chainUrl: elsewhere.url, chain: lie }, context, account)
    await liar.page.clock.install()
    await choosePlan(liar.page)
    await liar.dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
    await expect(liar.dialog.getByRole('heading', { name: 'Payment sent' })).toBeVisible()
    await chain.mine(3)
    await lie.mine(3)
    await liar.page.clock.fastForward('11:00')
    await expect(liar.dialog.getByText(/^Not confirmed after 10 minutes\. It may still confirm/)).toBeVisible()
    await look(liar.page, 'not confirmed')
    await letPass(account, 11)
    await expect(liar.dialog.getByRole('heading', { name: 'Payment dropped' })).toBeVisible()
    await look(liar.page, 'dropped')
    await expect(liar.page.locator('main').getByText('Active', { exact: true })).toHaveCount(0)
    await liar.page.close()

    const honest = await openTab(shop, context, account)
    await choosePlan(honest.page)
    await honest.dialog.getByRole('button', { name: /^(Pay 10 ITO|Try again)$/ }).click()
    await expect(honest.dialog.getByText('1/2')).toBeVisible()
    await chain.mine()
    await expect(honest.dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  } finally {
    await elsewhere.stop()
  }
})

test.describe('where the server collects what wallets approve', () => {
  test.beforeAll(async () => {
    await running?.stop()
    // The key of the test chain's treasury.
    running = await run({ ...env, TREASURY_KEY: `0x${'7e'.repeat(32)}` }, 'Tocsin is up')
    await payments.control.setBalance({ address: payments.treasury, value: parseEther('1') })
    await untilNothingMines()
  })

  test('exactly the price is approved, for the treasury, and collected', async ({ browser }) => {
    const { page, wallet, dialog, account } = await openBuyer(shop, browser)
    // Too little from before is no reason to add to it.
    await chain.approve(account, '3')
    await choosePlan(page)
    await expect(
      dialog.getByText(/^You approve exactly 10 ITO on Local Chain and the server collects them/),
    ).toBeVisible()
    await expect(dialog.getByText('Approved for')).toBeVisible()
    await look(page, 'approve, confirm')
    wallet.rejectNext('eth_sendTransaction')
    await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
    await expect(dialog.getByText(/^You cancelled in your wallet\. Nothing was sent\.$/)).toBeVisible()

    const confirm = hang(wallet)
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await expect(dialog.getByRole('heading', { name: 'Approve in your wallet' })).toBeVisible()
    await look(page, 'approve in the wallet')
    await chain.setAutomine(false)
    try {
      confirm(await chain.approve(account, '10'))
      await expect(dialog.getByRole('heading', { name: 'Approval sent' })).toBeVisible()
      await look(page, 'approval sent')
      await page.reload()
    } finally {
      await chain.setAutomine(true)
    }
    await chain.mine()
    await page.getByRole('button', { name: 'Payment…' }).click()
    await expect(dialog.getByText('1/2')).toBeVisible()
    await chain.mine()
    await expect(dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
    await look(page, 'collected')
    expect(asApprovals(wallet)).toEqual(
      Array(2).fill({ contract: chain.token, spender: chain.treasury, amountWei: parseEther('10') }),
    )
    expect(await chain.allowance(account)).toBe(0n)
  })

  test('what is approved already is collected without another question, and no more than the price', async ({
    browser,
  }) => {
    const { page, wallet, dialog, account } = await openBuyer(shop, browser)
    await chain.approve(account, '250')
    await choosePlan(page)
    await chain.setAutomine(false)
    try {
      await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
      await expect(dialog.getByRole('heading', { name: /^(Approved|Payment sent)$/ })).toBeVisible()
      await look(page, 'collecting')
      await expect(dialog.getByRole('heading', { name: 'Payment sent' })).toBeVisible()
      await chain.mine()
    } finally {
      await chain.setAutomine(true)
    }
    await expect(dialog.getByText('1/2')).toBeVisible()
    await expect(dialog.getByText('240 ITO')).toBeVisible()
    await chain.mine()
    await expect(dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
    expect(wallet.sent).toEqual([])
    expect(await chain.allowance(account)).toBe(parseEther('240'))
  })
})

/** As many minutes go by for the unpaid orders of this wallet. */
async function letPass(account: number, minutes: number): Promise<void> {
  const shifted = ['created_at', 'expires_at', 'watched_until', 'tx_seen_at'].map(
    (column) => `${column} = ${column} - interval '${minutes} minutes'`,
  )
  const statement = `update orders set ${shifted} where paid_at is null and payer = '${testAccount(account).address}'`
  await database.execute(databaseUrl, statement)
}

/** The server anchors the keys that its log begins with: until then a block may come by itself. */
async function untilNothingMines(): Promise<void> {
  const isAnchored = async () => {
    const { size, anchored }: LogHead = await (await fetch(`${shop.url}/api/log/head`)).json()
    return size > 0 && anchored?.size === size
  }
  await expect.poll(isAnchored).toBe(true)
}

/** The wallet is asked and does not answer, until it is told with what. */
function hang(wallet: ScriptedWallet): (hash: Hex) => void {
  let answer: (hash: Hex) => void = () => {}
  wallet.respondNext('eth_sendTransaction', new Promise<Hex>((resolve) => (answer = resolve)))
  return answer
}

let looked = 0
/**
 * What the dialog shows now: pictures where they are wanted, and what axe complains of, in the two
 * looks in turn.
 */
async function look(page: Page, state: string): Promise<void> {
  await takeScreenshots(page, state)
  looked += 1
  await expectAccessible(page, state, [looked % 2 === 0 ? displayModes.desktop : displayModes.phone])
}

/**
 * What the wallet was asked to send, read as a wallet reads it; anything but a plain approval
 * throws.
 */
function asApprovals({ sent }: ScriptedWallet) {
  return sent.map(({ to, data = '0x' }) => {
    const { functionName, args } = decodeFunctionData({ abi: tokenAbi, data })
    if (functionName !== 'approve') throw new Error(`The wallet was asked for ${functionName}`)
    return { contract: to, spender: args[0], amountWei: args[1] }
  })
}
