import { type BrowserContext, expect, type Page } from '@playwright/test'
import { expectAccessible, takeScreenshots } from './accessible.ts'
import { test } from './browser-test.ts'
import { type LocalChain, openLocalChain } from './local-chain.ts'
import { type Product, startProduct } from './product.ts'
import { choosePlan, openBuyer } from './shop.ts'
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts'

let product: Product
let hook: WebhookReceiver
let chain: LocalChain
let adminCookie: string
/** Signed in with a wallet that has a plan. */
let subscriber: BrowserContext

/** Each test continues with what the one before has left. */
test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser }) => {
  hook = await startWebhookReceiver()
  product = await startProduct()
  const session = await send('POST', '/api/auth/login', product.admin)
  adminCookie = session.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  chain = await openLocalChain(product)
  const { context, page, dialog } = await openBuyer({ ...product, chain }, browser)
  await choosePlan(page)
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(page.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  await page.close()
  subscriber = context
})
test.afterAll(async () => {
  await product?.discard()
  hook?.close()
})

test('channels: a newcomer adds a webhook, tests it, receives an alert, sees the ledger, and pauses it', async () => {
  const page = await openChannels()
  await page.getByRole('button', { name: 'Add destination' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a destination' })
  await dialog.getByLabel('Name').fill('Desk bot')
  await dialog.getByLabel('Address').fill('ftp://127.0.0.1/hook')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog.getByRole('alert')).toContainText('The endpoint must be https:// or http://')
  await dialog.getByLabel('Address').fill(hook.url)
  await page.keyboard.press('Enter')
  await expect(dialog.getByText(/^whsec_/)).toBeVisible()
  await takeScreenshots(page, 'the secret of a webhook')
  await expectAccessible(page, 'the secret of a webhook')
  await dialog.getByRole('button', { name: 'I have saved it' }).click()
  expect(hook.messages, 'nothing is sent before the challenge').toEqual([])
  await dialog.getByRole('button', { name: 'Send the challenge' }).click()
  await expect(dialog.getByText('It is confirmed and gets new alerts from now on.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Done' }).click()

  const row = page.getByRole('list', { name: 'Destinations' }).getByRole('listitem')
  await expect(row).toContainText('On')
  await row.getByRole('button', { name: 'Test Desk bot' }).click()
  const panel = page.getByRole('region', { name: 'Webhook, Desk bot' })
  await expect(panel.getByRole('status')).toContainText('200 {"received":"channel.test"')

  await createAlert('A spike that reaches the bot')
  const ledger = page.getByRole('region', { name: 'Delivery ledger' })
  const delivery = ledger.getByRole('list', { name: 'Deliveries to Desk bot' }).getByRole('listitem').first()
  await expect(delivery).toContainText('Delivered')
  await expect(delivery).toContainText('Answered 200')
  expect(alertsReceived()).toEqual(['A spike that reaches the bot'])
  await delivery.getByText('1 try').click()
  await expect(delivery).toContainText('200 {"received":"alert.created"}')
  await expect(row).toContainText(/\d+ ms|\d\.\d+ s/)
  await delivery.getByRole('button', { name: /^Send #[\d,]+ again$/ }).click()
  await expect.poll(alertsReceived).toHaveLength(2)

  await panel.getByRole('button', { name: 'Mute 1 h' }).click()
  await expect(row).toContainText('Muted to')
  await createAlert('A spike during the mute')
  await expect(ledger).toContainText('goes into the digest')
  const mutes = page.getByRole('region', { name: 'Mutes' })
  await expect(mutes).toContainText('1 alert held so far')
  expect(alertsReceived(), 'nothing is sent during a mute').toHaveLength(2)
  expect(digestsReceived()).toEqual([])
  await takeScreenshots(page, 'a muted webhook')
  await mutes.getByRole('button', { name: 'End the mute of Desk bot' }).click()
  await expect.poll(digestsReceived).toEqual([['A spike during the mute']])
  await expect(delivery).toContainText('In a digest')

  await panel.getByRole('button', { name: 'Pause' }).click()
  await expect(row).toContainText('Paused')
  await createAlert('A spike while it is paused')
  await expect(ledger).toContainText('The destination was paused')
  expect(alertsReceived()).not.toContain('A spike while it is paused')
  await panel.getByRole('button', { name: 'Resume' }).click()
  await expect(row).toContainText('On')
  await ledger.getByLabel(/from log index/).fill('#0')
  await ledger.getByRole('button', { name: 'Send again', exact: true }).click()
  await expect.poll(alertsReceived).toContain('A spike while it is paused')
  await ledger.getByRole('radio', { name: 'Not delivered' }).click()
  await expect(ledger).toContainText('Every alert that was due has been delivered.')
  await ledger.getByRole('radio', { name: 'All' }).click()

  await takeScreenshots(page, 'channels')
  await expectAccessible(page, 'channels')
  for (const width of [1440, 1280, 1024, 768, 390, 320]) {
    await page.setViewportSize({ width, height: 900 })
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    await expect.poll(overflow, `channels at ${width} px`).toBeLessThanOrEqual(0)
  }
})

test('channels: a rule is drafted with its preview and saved by keyboard, with quiet hours', async () => {
  const page = await openChannels()
  const row = page.getByRole('list', { name: 'Destinations' }).getByRole('listitem')
  const rule = page.getByRole('region', { name: 'Rule' })
  await expect(row).toContainText('Everything')
  const preview = rule.getByText(/Would have come/)
  await expect(preview).toContainText(/\d+ times/)
  await rule.getByRole('button', { name: 'Add asset' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('NONE/USDT')
  await page.keyboard.press('Enter')
  await expect(preview).toContainText('0 times')
  await rule.getByRole('button', { name: 'Remove NONE/USDT' }).click()
  await rule.getByRole('button', { name: 'Add asset' }).click()
  await page.keyboard.type('ETH/USDT')
  await page.keyboard.press('Enter')
  await rule.getByRole('radio', { name: 'High' }).click()
  await rule.getByLabel('At most').selectOption('6 an hour')
  await rule.getByRole('button', { name: /^See the \d+$/ }).click()
  await expect(rule.getByRole('list', { name: 'Alerts that would have come' })).toContainText('ETH/USDT')
  await rule.getByRole('switch', { name: 'Quiet hours' }).click()
  await rule.getByLabel('To', { exact: true }).fill('22:00')
  await expect(rule.getByRole('alert')).toContainText('Choose another time')
  await expect(rule.getByRole('button', { name: 'Save rule' })).toBeDisabled()
  await rule.getByLabel('To', { exact: true }).fill('06:30')
  await expect(rule).toContainText('4 unsaved changes')
  await takeScreenshots(page, 'a rule of a destination')
  await expectAccessible(page, 'a rule of a destination')
  await rule.getByRole('button', { name: 'Save rule' }).focus()
  await page.keyboard.press('Enter')
  await expect(row).toContainText('High and up, ETH/USDT, 6 an hour, quiet 22:00–06:30')
  await rule.getByRole('switch', { name: 'Quiet hours' }).click()
  await rule.getByRole('button', { name: 'Save rule' }).click()
  await expect(row).not.toContainText('quiet')
})

test('channels: a critical alert is acknowledged in one tab, and another tab learns of it', async () => {
  const [one, other] = [await subscriber.newPage(), await subscriber.newPage()]
  await createAlert('A spike to acknowledge', 'critical')
  for (const page of [one, other]) {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(`${product.url}/notifications`)
    await page.getByText('A spike to acknowledge').first().click()
    await expect(page.getByRole('button', { name: 'Acknowledge', exact: true }).first()).toBeVisible()
  }
  await one.getByRole('button', { name: 'Acknowledge', exact: true }).first().click()
  for (const page of [one, other]) await expect(page.getByText(/^Acknowledged/).first()).toBeVisible()
  await one.close()
  await other.close()
})

test('channels: a failing webhook says so, is renamed, gets a new secret, and is deleted by keyboard', async () => {
  const page = await openChannels()
  const row = page.getByRole('list', { name: 'Destinations' }).getByRole('listitem')
  hook.answerWith(502)
  await createAlert('A spike that is refused')
  await expect(row).toContainText('Retrying')
  await expect(page.getByText(/Desk bot has failed since/)).toBeVisible()
  await expect(page.getByText('1 alert waits and is sent again for 38 hours.')).toBeVisible()
  await row.getByRole('button', { name: 'Test Desk bot' }).click()
  const panel = page.getByRole('region', { name: /^Webhook,/ })
  await expect(panel.getByRole('status')).toContainText('The test failed.')
  await takeScreenshots(page, 'a failing webhook')
  await expectAccessible(page, 'a failing webhook')
  hook.answerWith(200)
  await page.getByRole('button', { name: /^Send #[\d,]+ now$/ }).click()
  await expect(row.getByText('On', { exact: true })).toBeVisible()

  await openDialog(page, 'Rename…')
  await page.getByRole('dialog').getByLabel('Name').fill('Night desk')
  await page.keyboard.press('Enter')
  await expect(row).toContainText('Night desk')
  await openDialog(page, 'New secret…')
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  await expect(page.getByRole('dialog').getByText(/^whsec_/)).toBeVisible()
  await page.getByRole('dialog').getByRole('button', { name: 'I have saved it' }).click()
  await openDialog(page, 'Delete…')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('No destination yet')).toBeVisible()
})

test('channels: a Slack channel is confirmed with the code that it gets, and is muted', async () => {
  const page = await openChannels()
  await page.getByRole('button', { name: 'Add destination' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a destination' })
  await dialog.getByLabel('Kind').selectOption('Slack')
  await dialog.getByLabel('Name').fill('Team')
  await dialog.getByLabel('Address').fill(hook.url)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByRole('button', { name: 'Send a code', exact: true }).click()
  await dialog.getByLabel('Code').fill('WRONGONE')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('alert')).toContainText('The code is wrong.')
  await expectAccessible(page, 'the code of a channel')
  const code = /^\w{8}/.exec(hook.messages.at(-1)?.text ?? '')?.[0] ?? ''
  await dialog.getByLabel('Code').fill(code)
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('It is confirmed and gets new alerts from now on.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('list', { name: 'Destinations' }).getByRole('listitem')
  await expect(row).toContainText('On')
  await page.getByRole('button', { name: 'Mute 1 h' }).click()
  await expect(row).toContainText('Muted to')
  await createAlert('A spike while the team is muted')
  await expect(page.getByRole('region', { name: 'Delivery ledger' })).toContainText('Muted until')
  await takeScreenshots(page, 'a muted channel')
  await expectAccessible(page, 'a muted channel')
})

async function openDialog(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name }).focus()
  await page.keyboard.press('Enter')
}

async function openChannels(): Promise<Page> {
  const page = await subscriber.newPage()
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`${product.url}/settings/channels`)
  await expect(page.getByRole('heading', { name: 'Channels', level: 1 })).toBeVisible()
  return page
}

function alertsReceived(): string[] {
  return hook.messages.flatMap(({ type, data }) => (type === 'alert.created' ? [data?.alert?.summary ?? ''] : []))
}

function digestsReceived(): string[][] {
  return hook.messages.flatMap(({ type, data }) =>
    type === 'alert.digest' ? [data?.alerts?.map(({ alert }) => alert.summary) ?? []] : [],
  )
}

function send(method: string, path: string, body?: object): Promise<Response> {
  return fetch(product.url + path, {
    method,
    headers: { 'content-type': 'application/json', origin: product.url, cookie: adminCookie ?? '' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

async function createAlert(summary: string, priority = 'high'): Promise<void> {
  const content = {
    asset: 'ETH/USDT',
    anomalyType: 'Volume spike',
    confidence: 90.5,
    regime: 'Trending',
    priority,
  }
  expect((await send('POST', '/api/alerts', { ...content, summary })).status).toBe(201)
}
