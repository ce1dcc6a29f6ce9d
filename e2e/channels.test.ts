import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, expect, type Page } from '@playwright/test'
import { bundleForBrowser, installClient } from '../scripts/client-package/install-client.ts'
import { expectAccessible, takeScreenshots } from './accessible.ts'
import { test } from './browser-test.ts'
import { type LocalChain, openLocalChain } from './local-chain.ts'
import { waitForMail } from './outbox.ts'
import { type Product, startProduct } from './product.ts'
import { type PushDevice, startPushDevice } from './push-device.ts'
import { confirmByWallet, keepConfirmed } from './session.ts'
import { buyPlan, signIn } from './shop.ts'
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts'

let product: Product
let receiver: WebhookReceiver
let chain: LocalChain
let adminCookie: string
let device: PushDevice
/** Browser context of a user who is signed in with a wallet and has a plan. */
let subscriber: BrowserContext
const subscribersWallet = 20

/** Each test needs the state that the previous one leaves. */
test.describe.configure({ mode: 'serial' })
// Web push needs the service worker.
test.use({ serviceWorkers: 'allow' })

test.beforeAll(async ({ browser }) => {
  receiver = await startWebhookReceiver()
  product = await startProduct(receiver.telegram)
  const session = await sendAdminRequest('POST', '/api/auth/login', product.admin)
  adminCookie = session.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  chain = await openLocalChain(product)
  const productWithChain = { ...product, chain }
  await chain.fund(subscribersWallet, { ito: '100' })
  subscriber = await signIn(productWithChain, browser, subscribersWallet)
  await buyPlan(productWithChain, subscriber, subscribersWallet)
  device = await startPushDevice(subscriber, product.url)
})
test.beforeEach(keepConfirmed(() => confirmByWallet(subscriber, product.url, subscribersWallet)))
test.afterAll(async () => {
  await product?.discard()
  receiver?.close()
  device?.close()
})

test('channels: a new user adds a webhook and web push, tests and mutes them, and receives the digest', async () => {
  const page = await openChannels()
  await device.connect(page)
  const destinations = page.getByRole('list', { name: 'Destinations' }).getByRole('listitem')
  const mutes = page.getByRole('region', { name: 'Mutes' })
  const dialog = await openNewDestination(page, 'Webhook')
  await dialog.getByLabel('Name').fill('First bot')
  await dialog.getByLabel('Address').fill(receiver.url)
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'I have saved it' }).click()
  await dialog.getByRole('button', { name: 'Send the challenge' }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await openNewDestination(page, 'Web push')
  await dialog.getByLabel('Name').fill('This laptop')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByRole('button', { name: 'Send a code' }).click()
  // The service worker forwards the code to this page, so the user does not type it.
  await expect(dialog.getByText('The destination is confirmed and gets new alerts from now on.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(destinations).toHaveText([/First bot.*On/, /This laptop.*This device.*On/])

  await page.getByRole('button', { name: 'Test First bot' }).click()
  await expect.poll(() => receiver.messages.at(-1)?.type).toBe('channel.test')
  await page.getByRole('button', { name: 'Test This laptop' }).click()
  await expect.poll(() => device.shown()).toContainEqual('This is a test from Tocsin.')

  await mutes.getByRole('button', { name: 'Mute all…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Mute', exact: true }).click()
  await expect(destinations).toHaveText([/Muted to/, /Muted to/])
  const countsBefore = { pushes: device.messages.length, hooks: receiver.messages.length }
  for (const summary of ['A first spike in the mute', 'A second one']) await createAlert(summary)
  await expect(mutes.getByText('2 alerts held so far')).toHaveCount(2)
  expect([device.messages.length, receiver.messages.length]).toEqual([countsBefore.pushes, countsBefore.hooks])
  await mutes.getByRole('button', { name: 'End all mutes' }).click()
  await expect.poll(listReceivedDigests).toEqual([['A first spike in the mute', 'A second one']])
  await expect.poll(() => device.shown()).toContainEqual(expect.stringContaining('A first spike in the mute'))
  expect([device.messages.length, receiver.messages.length]).toEqual([countsBefore.pushes + 1, countsBefore.hooks + 1])
})

test('channels: an acknowledgement ends the escalation of a critical alert before the next step', async () => {
  const page = await openChannels()
  const escalationRegion = page.getByRole('region', { name: 'Escalation of unacknowledged critical alerts' })
  const steps = escalationRegion.getByRole('listitem')
  const addStepField = escalationRegion.getByLabel('Add a destination to the escalation')
  for (const [at, name] of ['Webhook, First bot', 'Web push, This laptop'].entries()) {
    await addStepField.selectOption(name)
    await expect(steps).toHaveCount(at + 1)
    // A step is already shown while it is being saved. Until then, other changes are ignored.
    await expect(escalationRegion.getByRole('list')).toHaveAttribute('aria-busy', 'false')
  }
  await expect(steps).toHaveText([/at once.*First bot/, /5 min.*This laptop/])
  await createAlert('A spike to escalate', 'critical')
  await expect.poll(listReceivedAlerts).toContain('A spike to escalate')
  await page.getByRole('button', { name: 'Web push This laptop' }).click()
  const first = page.getByRole('list', { name: 'Deliveries to This laptop' }).getByRole('listitem').first()
  await expect(first).toContainText('Sent if it is not acknowledged')
  await expect(addStepField).toBeHidden()
  await takeScreenshots(page, 'an escalation')
  await expectAccessible(page, 'an escalation')
  // A program acknowledges with the link in the message, without a session.
  const message = receiver.messages.find(({ data }) => data?.alert?.summary === 'A spike to escalate')
  const link = message?.data?.acknowledgeUrl ?? ''
  expect((await fetch(link, { method: 'POST' })).status).toBe(200)
  await expect(first).toContainText('Acknowledged before it was due here')
  await escalationRegion.getByRole('button', { name: 'Remove This laptop from the escalation' }).click()
  await expect(steps).toHaveCount(1)
  expect(device.messages.join()).not.toContain('A spike to escalate')
  await deleteAll(page)
})

test('channels: an email address is confirmed with the emailed code, gets an alert, and is unsubscribed', async () => {
  const page = await openChannels()
  const address = 'alerts@desk.example'
  const dialog = await openNewDestination(page, 'Email')
  await dialog.getByLabel('Name').fill('Inbox')
  await dialog.getByLabel('Email address').fill(address)
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Send a code', exact: true }).click()
  const code = /\b[A-Z2-9]{8}\b/.exec((await waitForMail(product, address, /./)).text)?.[0] ?? ''
  await dialog.getByLabel('Code').fill(code)
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('The destination is confirmed and gets new alerts from now on.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await createAlert('A spike by mail')
  const mail = await waitForMail(product, address, /ETH\/USDT/)
  expect(mail.text).toContain('A spike by mail')
  const rule = page.getByRole('region', { name: 'Rule' })
  // An hourly digest could be sent immediately if the test runs shortly before a full hour.
  await rule.getByLabel('Alerts arrive').selectOption('As a daily digest')
  await rule.getByRole('button', { name: 'Save rule' }).click()
  const row = page.getByRole('list', { name: 'Destinations' }).getByRole('listitem')
  await expect(row, 'the rule is saved').toContainText('Digest, daily at 20:00')
  await createAlert('A spike for the digest')
  await expect(page.getByRole('region', { name: 'Delivery ledger' })).toContainText('Included in the next digest')
  const link = mail.links.find((mailLink) => new URL(mailLink).pathname.startsWith('/unsubscribe')) ?? ''
  const unsubscribePage = await subscriber.newPage()
  await unsubscribePage.goto(link)
  await unsubscribePage.getByRole('button', { name: 'Unsubscribe' }).click()
  await expect(unsubscribePage.getByRole('heading', { name: 'Unsubscribed' })).toBeVisible()
  await expectAccessible(unsubscribePage, 'unsubscribed')
  await unsubscribePage.close()
  await expect(row).toContainText('Not confirmed')
  await deleteAll(page)
})

test('channels: a webhook is tested, receives an alert, lists its deliveries, and is paused', async () => {
  const page = await openChannels()
  receiver.messages.length = 0
  await page.getByRole('button', { name: 'Add destination' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a destination' })
  await dialog.getByLabel('Name').fill('Desk bot')
  await dialog.getByLabel('Address').fill('ftp://127.0.0.1/hook')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog.getByRole('alert')).toContainText('The endpoint must be https:// or http://')
  await dialog.getByLabel('Address').fill(receiver.url)
  await page.keyboard.press('Enter')
  await expect(dialog.getByText(/^whsec_/)).toBeVisible()
  await takeScreenshots(page, 'the secret of a webhook')
  await expectAccessible(page, 'the secret of a webhook')
  await dialog.getByRole('button', { name: 'I have saved it' }).click()
  expect(receiver.messages, 'nothing is sent before the challenge').toEqual([])
  await dialog.getByRole('button', { name: 'Send the challenge' }).click()
  await expect(dialog.getByText('The destination is confirmed and gets new alerts from now on.')).toBeVisible()
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
  await expect(delivery).toContainText('Returned 200')
  expect(listReceivedAlerts()).toEqual(['A spike that reaches the bot'])
  await delivery.getByText('1 try').click()
  await expect(delivery).toContainText('200 {"received":"alert.created"}')
  await expect(row).toContainText(/\d+ ms|\d\.\d+ s/)
  await delivery.getByRole('button', { name: /^Send #[\d,]+ again$/ }).click()
  await expect.poll(listReceivedAlerts).toHaveLength(2)

  await panel.getByRole('button', { name: 'Mute 1 h' }).click()
  await expect(row).toContainText('Muted to')
  await createAlert('A spike during the mute')
  await expect(ledger).toContainText('included in the digest')
  const mutes = page.getByRole('region', { name: 'Mutes' })
  await expect(mutes).toContainText('1 alert held so far')
  expect(listReceivedAlerts(), 'nothing is sent during a mute').toHaveLength(2)
  expect(listReceivedDigests()).toEqual([])
  await takeScreenshots(page, 'a muted webhook')
  await mutes.getByRole('button', { name: 'End the mute of Desk bot' }).click()
  await expect.poll(listReceivedDigests).toEqual([['A spike during the mute']])
  await expect(delivery).toContainText('In a digest')

  await panel.getByRole('button', { name: 'Pause' }).click()
  await expect(row).toContainText('Paused')
  await createAlert('A spike while it is paused')
  await expect(ledger).toContainText('The destination was paused')
  expect(listReceivedAlerts()).not.toContain('A spike while it is paused')
  await panel.getByRole('button', { name: 'Resume' }).click()
  await expect(row).toContainText('On')
  await ledger.getByLabel(/from log index/).fill('#0')
  await ledger.getByRole('button', { name: 'Send again', exact: true }).click()
  await expect.poll(listReceivedAlerts).toContain('A spike while it is paused')
  await ledger.getByRole('radio', { name: 'Not delivered' }).click()
  await expect(ledger).toContainText('Every alert that was due has been delivered.')
  await ledger.getByRole('radio', { name: 'All' }).click()

  await takeScreenshots(page, 'channels')
  await expectAccessible(page, 'channels')
  for (const width of [1440, 1280, 1024, 768, 390, 320]) {
    await page.setViewportSize({ width, height: 900 })
    const measureOverflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    await expect.poll(measureOverflow, `channels at ${width} px`).toBeLessThanOrEqual(0)
  }
})

test('channels: a rule with quiet hours shows a preview while it is edited, and is saved by keyboard', async () => {
  const page = await openChannels()
  const row = page.getByRole('list', { name: 'Destinations' }).getByRole('listitem')
  const rule = page.getByRole('region', { name: 'Rule' })
  await expect(row).toContainText('Everything')
  const preview = rule.getByText(/You would have received/)
  await expect(preview).toContainText(/\d+ alerts/)
  await rule.getByRole('button', { name: 'Add asset' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('NONE/USDT')
  await page.keyboard.press('Enter')
  await expect(preview).toContainText('0 alerts')
  await rule.getByRole('button', { name: 'Remove NONE/USDT' }).click()
  await rule.getByRole('button', { name: 'Add asset' }).click()
  await page.keyboard.type('ETH/USDT')
  await page.keyboard.press('Enter')
  await rule.getByRole('radio', { name: 'High' }).click()
  await rule.getByLabel('At most').selectOption('6 an hour')
  await rule.getByRole('button', { name: /^See the \d+$/ }).click()
  await expect(rule.getByRole('list', { name: 'Alerts that you would have received' })).toContainText('ETH/USDT')
  await rule.getByRole('switch', { name: 'Quiet hours' }).click()
  await rule.getByLabel('To', { exact: true }).fill('22:00')
  await expect(rule.getByRole('alert')).toContainText('Choose a time other than From')
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

test('channels: an acknowledgement of a critical alert in one tab is shown in another tab', async () => {
  const [firstTab, secondTab] = [await subscriber.newPage(), await subscriber.newPage()]
  await createAlert('A spike to acknowledge', 'critical')
  for (const page of [firstTab, secondTab]) {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(`${product.url}/notifications`)
    await page.getByText('A spike to acknowledge').first().click()
    await expect(page.getByRole('button', { name: 'Acknowledge', exact: true }).first()).toBeVisible()
  }
  await firstTab.getByRole('button', { name: 'Acknowledge', exact: true }).first().click()
  for (const page of [firstTab, secondTab]) await expect(page.getByText(/^Acknowledged/).first()).toBeVisible()
  await firstTab.close()
  await secondTab.close()
})

test('channels: a failing webhook is marked, renamed, gets a rotated secret, and is deleted by keyboard', async () => {
  const page = await openChannels()
  const row = page.getByRole('list', { name: 'Destinations' }).getByRole('listitem')
  // The receiver must not refuse the alert of the previous test too.
  await expect.poll(listReceivedAlerts).toContain('A spike to acknowledge')
  receiver.answerWith(502)
  await createAlert('A spike that is refused')
  await expect(row).toContainText('Retrying')
  await expect(page.getByText(/Desk bot has failed since/)).toBeVisible()
  await expect(page.getByText('1 alert waits. Tocsin retries each alert for 38 hours.')).toBeVisible()
  await row.getByRole('button', { name: 'Test Desk bot' }).click()
  const panel = page.getByRole('region', { name: /^Webhook,/ })
  await expect(panel.getByRole('status')).toContainText('The test failed.')
  await takeScreenshots(page, 'a failing webhook')
  await expectAccessible(page, 'a failing webhook')
  // The product also retries by itself, and the button disappears after a success. So the webhook
  // does not answer until the button is pressed.
  let resolveAnswer: (status: number) => void = () => {}
  const answered = new Promise<number>((resolve) => {
    resolveAnswer = resolve
  })
  receiver.answerWith(answered)
  await page.getByRole('button', { name: /^Send #[\d,]+ now$/ }).click()
  resolveAnswer(200)
  await expect(row.getByText('On', { exact: true })).toBeVisible()

  await openDialog(page, 'Rename…')
  await page.getByRole('dialog').getByLabel('Name').fill('Night desk')
  await page.keyboard.press('Enter')
  await expect(row).toContainText('Night desk')
  await openDialog(page, 'Rotate secret…')
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
  await expect(page.getByRole('dialog').getByText(/^whsec_/)).toBeVisible()
  await page.getByRole('dialog').getByRole('button', { name: 'I have saved it' }).click()
  await openDialog(page, 'Delete…')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('No destination yet')).toBeVisible()
})

test('channels: a Slack channel is confirmed with the code that was sent to it, and can be muted', async () => {
  const page = await openChannels()
  await page.getByRole('button', { name: 'Add destination' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a destination' })
  for (const kind of ['Webhook', 'Discord', 'Telegram', 'ntfy', 'Email', 'Web push', 'Slack']) {
    await dialog.getByLabel('Kind').selectOption(kind)
    await expect(dialog.getByRole('list', { name: 'Steps' }).getByRole('listitem'), kind).toHaveCount(3)
    await takeScreenshots(page, `the steps of ${kind}`)
  }
  await expectAccessible(page, 'the steps of a destination')
  await dialog.getByLabel('Name').fill('Team')
  await dialog.getByLabel('Address').fill(receiver.url)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByRole('button', { name: 'Send a code', exact: true }).click()
  await dialog.getByLabel('Code').fill('WRONGONE')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('alert')).toContainText('The code is wrong.')
  await expectAccessible(page, 'the code of a channel')
  const code = /^\w{8}/.exec(receiver.messages.at(-1)?.text ?? '')?.[0] ?? ''
  await dialog.getByLabel('Code').fill(code)
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('The destination is confirmed and gets new alerts from now on.')).toBeVisible()
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

test('channels: an admin sees figures per destination kind and tests the Telegram bot', async ({ browser }) => {
  const context = await browser.newContext()
  await context.request.post(`${product.url}/api/auth/login`, {
    headers: { origin: product.url },
    data: product.admin,
  })
  const page = await context.newPage()
  await page.goto(`${product.url}/admin?tab=dashboard`)
  const panel = page.getByRole('region', { name: 'Channels' })
  await expect(panel).toContainText(/Slack.*delivered.*1 on/)
  // Wait for the panel above: if it appeared between press and release of the mouse, it would move
  // the button away.
  await expect(page.getByText('Log entries', { exact: true })).toBeVisible()
  const testResponse = page.waitForResponse('**/api/admin/channels/telegram-test')
  await panel.getByRole('button', { name: 'Test the Telegram bot' }).click()
  expect((await testResponse).status()).toBe(200)
  await expect(panel.getByRole('status')).toHaveText('The token is that of @tocsin_test_bot.')
  await takeScreenshots(page, 'channels of an admin')
  await expectAccessible(page, 'channels of an admin')
})

test('client package: its bundle streams alerts in a page of another origin with only an API key', async ({
  browser,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-client-'))
  await installClient(folder)
  const { code } = await bundleForBrowser(folder)
  await rm(folder, { recursive: true })
  const createResponse = await subscriber.request.post(`${product.url}/api/keys`, {
    headers: { origin: product.url },
    data: { name: 'Page of a partner', scopes: ['stream'], requestsPerMinute: 60 },
  })
  const { secret }: { secret: string } = await createResponse.json()
  const page = await (await browser.newContext()).newPage()
  const receivedEvents: string[] = []
  await page.exposeFunction('record', (text: string) => void receivedEvents.push(text))
  // Open a page of the local chain's server, because Chromium lets only pages from this machine
  // connect to a server on this machine.
  await page.goto(product.chainUrl)
  await page.addScriptTag({
    content: `${code}
      tocsin.openAlertStream({
        url: ${JSON.stringify(`${product.url.replace('http', 'ws')}/ws?auth=key`)},
        authenticate: tocsin.byApiKey(${JSON.stringify(secret)}),
        onState: (state) => record('state ' + state),
        onAlert: ({ summary }) => record(summary),
        onEnded: () => record('ended'),
      })`,
  })
  await expect.poll(() => receivedEvents).toContain('state live')
  await createAlert('A spike in the page of a partner')
  await expect.poll(() => receivedEvents).toContain('A spike in the page of a partner')
  const [{ id }]: [{ id: string }] = await (await subscriber.request.get(`${product.url}/api/keys`)).json()
  const revokeResponse = await subscriber.request.delete(`${product.url}/api/keys/${id}`, {
    headers: { origin: product.url },
  })
  expect(revokeResponse.status()).toBe(200)
  await expect.poll(() => receivedEvents).toContain('ended')
})

async function openNewDestination(page: Page, kind: string) {
  await page.getByRole('button', { name: 'Add destination' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a destination' })
  await dialog.getByLabel('Kind').selectOption(kind)
  return dialog
}

/** Deletes all destinations, so that the next test starts without one. */
async function deleteAll(page: Page): Promise<void> {
  const { request } = page.context()
  const path = `${product.url}/api/channels`
  const rows: { id: string }[] = await (await request.get(path)).json()
  for (const { id } of rows) await request.delete(`${path}/${id}`, { headers: { origin: product.url } })
  expect(await (await request.get(path)).json()).toEqual([])
}

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

function listReceivedAlerts(): string[] {
  return receiver.messages.flatMap(({ type, data }) => (type === 'alert.created' ? [data?.alert?.summary ?? ''] : []))
}

function listReceivedDigests(): string[][] {
  return receiver.messages.flatMap(({ type, data }) =>
    type === 'alert.digest' ? [data?.alerts?.map(({ alert }) => alert.summary) ?? []] : [],
  )
}

function sendAdminRequest(method: string, path: string, body?: object): Promise<Response> {
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
  expect((await sendAdminRequest('POST', '/api/alerts', { ...content, summary })).status).toBe(201)
}
