import { readFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type BrowserContext, expect, type Page, type Worker } from '@playwright/test'
import { signUpAndBuy } from '@tocsin/testkit'
import { test } from './browser-test.ts'
import { logIn } from './log-in.ts'
import { type Product, startProduct } from './product.ts'

let product: Product
/** Signed in as the admin, who may read every alert. */
let admin: BrowserContext

test.beforeAll(async ({ browser }) => {
  product = await startProduct()
  admin = await browser.newContext()
  const page = await admin.newPage()
  await page.goto(`${product.url}/admin-auth`)
  await logIn(page, product.admin)
  await expect(page).toHaveURL(/\/admin$/)
  await page.close()
})
test.afterAll(async () => {
  await admin?.close()
  await product?.discard()
})

/** A proof file as it was saved; any of its fields may be changed. */
type ProofFile = { alert: Record<string, unknown>; keys: unknown[] } & Record<string, unknown>

test('an alert is recomputed from its proof file while the server is out of reach', async () => {
  const page = await admin.newPage()
  const file = await saveProof(page, await issueAlert(page, 'Recomputed without the server.'))
  await openVerification(page)
  await page.getByLabel('Chain reads go to').fill(product.chainUrl)
  const asked = await cutOff(page)

  await page.getByLabel(/Open a proof file/).setInputFiles({
    name: 'proof.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(file)),
  })
  await page.getByRole('button', { name: 'Recompute in this browser' }).click()
  await expect(page.getByRole('heading', { name: 'Verified', exact: true })).toBeVisible()
  await expect(page.getByText('6 of 6')).toBeVisible()
  const chainHost = new URL(product.chainUrl).host
  await expect(page.getByText(`Asked ${chainHost} alone`)).toBeVisible()
  await expect(page.getByText('No request of the check went to this site’s server.')).toBeVisible()
  await expect(page.getByText(/It trusted the first signer/)).toBeVisible()
  await expect(page.getByRole('img', { name: /^Merkle path of leaf/ })).toBeVisible()

  expect(asked.filter((url) => new URL(url).host !== chainHost)).toEqual([])
  expect(asked.length).toBeGreaterThan(3)
  await page.close()
})

test('one changed byte fails at the check that it belongs to', async () => {
  const page = await admin.newPage()
  const file = await saveProof(page, await issueAlert(page, 'One byte of this will change.'))
  await openVerification(page)
  await page.getByLabel('Chain reads go to').fill(product.chainUrl)
  const { alert } = file
  const path = alert.merklePath
  if (!Array.isArray(path)) throw new Error('The proof file has no path')
  const changes: [what: string, step: number, alert: object][] = [
    ['content', 1, { summary: 'One byte of that will change.' }],
    ['signature', 2, { signature: flip(alert.signature) }],
    ['path', 3, { merklePath: [flip(path[0]), ...path.slice(1)] }],
    ['root', 3, { root: flip(alert.root) }],
    ['transaction', 4, { avalancheTx: flip(alert.avalancheTx) }],
    ['time of the anchor', 6, { anchoredAt: '2020-01-01T00:00:00.000Z' }],
  ]
  for (const [what, step, changed] of changes) {
    await recompute(page, { ...file, alert: { ...alert, ...changed } })
    await expect(page.getByRole('heading', { name: `Failed at step ${step}` }), what).toBeVisible()
  }
  await recompute(page, file)
  await expect(page.getByRole('heading', { name: 'Verified', exact: true })).toBeVisible()

  await test.step('a file of another log fails too: what is trusted does not come from the file', async () => {
    await recompute(page, { ...file, firstSigner: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' })
    await expect(page.getByRole('heading', { name: 'Failed at step 2' })).toBeVisible()
  })
  await page.close()
})

test('an alert with exactly the fields of the specification is verified, for readers who may read the rest', async ({
  browser,
}) => {
  const page = await admin.newPage()
  const { alert } = await saveProof(page, await issueAlert(page, 'Pasted with few fields.'))
  const named = [...contentFields, 'signature', 'merklePath', 'avalancheTx', 'logIndex', 'treeSize', 'root']
  const pasted = Object.fromEntries(named.map((field) => [field, alert[field]]))
  await openVerification(page)
  await page.getByLabel('Chain reads go to').fill(product.chainUrl)
  const paste = async (on: Page, text: string) => {
    await on.getByLabel('Alert JSON').fill(text)
    await on.getByRole('button', { name: 'Verify alert' }).click()
  }
  await expect(page.getByRole('heading', { name: 'Unverified' })).toBeVisible()
  await page.getByRole('button', { name: 'Verify alert' }).click()
  for (const said of ['The alert JSON is missing', 'The signature is missing', 'The transaction is missing']) {
    await expect(page.getByRole('main').getByText(said)).toBeVisible()
  }
  await paste(page, '{"id": ')
  await expect(page.getByText('Missing Information', { exact: true })).toBeVisible()
  await paste(page, JSON.stringify({ ...pasted, summary: 'Pasted with other words.' }))
  await expect(page.getByRole('heading', { name: 'Failed at step 1' })).toBeVisible()
  await expect(page.getByText('Verification Failed', { exact: true })).toBeVisible()
  await expect(page.getByText('The alert signature could not be verified').first()).toBeVisible()
  await paste(page, JSON.stringify(pasted))
  await expect(page.getByRole('heading', { name: 'Verified', exact: true })).toBeVisible()
  await recompute(page, pasted)
  await expect(page.getByRole('heading', { name: 'Verified', exact: true })).toBeVisible()
  await expect(page.getByText('6 of 6')).toBeVisible()
  await page.close()

  await test.step('to an account without a plan each check says what it lacks', async () => {
    const context = await browser.newContext()
    const outside = await context.newPage()
    await outside.goto(`${product.url}/auth?next=/verification`)
    await logIn(outside, product.trader)
    await expect(outside).toHaveURL(/\/verification$/)
    await paste(outside, JSON.stringify(pasted))
    await expect(outside.getByRole('heading', { name: 'Cannot check now' })).toBeVisible()
    await recompute(outside, pasted)
    await expect(outside.getByText(/This browser cannot recompute it: the copy lacks origin/).first()).toBeVisible()
    await expect(outside.getByText('Verification Error', { exact: true })).toBeVisible()
    await outside.route('**/api/alerts/verify', (route) => route.abort())
    await outside.getByRole('button', { name: 'Verify alert' }).click()
    const failure = outside.locator('li.toast').filter({ hasText: 'Verification Error' })
    await expect(failure).toContainText('The alert could not be checked. Please try again.')
    await context.close()
  })
})

test('a chain that can’t be asked is no failure, and is told in plain words', async () => {
  const page = await admin.newPage()
  const file = await saveProof(page, await issueAlert(page, 'The chain is away.'))
  await openVerification(page)
  const json = (body: object, headers = {}): RequestListener => {
    return (_request, response) => response.writeHead(200, headers).end(JSON.stringify(body))
  }
  const open = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }
  const barred = await serve(json({ result: '0x7a69' }))
  const foreign = await serve(json({ result: '0x1' }, open))
  const noNode = await serve(json({ hello: 'there' }, open))
  const nodes: [url: string, words: RegExp][] = [
    ['http://127.0.0.1:1', /Nothing answers at this address/],
    [barred.url, /does not let web pages read its answers \(CORS\)/],
    [foreign.url, /This node is of chain 1, the log is anchored on chain 31337/],
    [noNode.url, /not as a node of a chain/],
    ['http://node.example', /Only https/],
  ]
  for (const [url, words] of nodes) {
    await page.getByLabel('Chain reads go to').fill(url)
    await recompute(page, file)
    await expect(page.getByRole('heading', { name: 'Cannot check now' }), url).toBeVisible()
    await expect(page.getByText(words).first()).toBeVisible()
  }
  for (const { server } of [barred, foreign, noNode]) server.close()
  await page.close()
})

test('a fresh alert is not anchored yet, which is no failure either', async () => {
  const page = await admin.newPage()
  const fresh = await issueAlert(page, 'Too fresh to be anchored.')
  expect(fresh.avalancheTx).toBeNull()
  await openVerification(page)
  await page.getByLabel('Chain reads go to').fill(product.chainUrl)
  await recompute(page, fresh)
  await expect(page.getByRole('heading', { name: 'Not yet anchored' })).toBeVisible()
  await expect(page.getByText('The key lists had been fetched from it before.')).toBeVisible()
  await page.close()
})

test('the worker obeys its own policy, and the page stays shut in', async () => {
  const page = await admin.newPage()
  const worker = await openVerification(page)
  const script = await page.request.get(worker.url())
  expect(script.headers()['content-security-policy']).toContain(
    'connect-src https: http://localhost:* http://127.0.0.1:*',
  )
  const probe = await serve((_request, response) => {
    response.writeHead(200, { 'access-control-allow-origin': '*' }).end('{}')
  })
  const byAddress = probe.url.replace('127.0.0.1', '127.0.0.2')
  const reach = async (url: string) => {
    try {
      return (await fetch(url)).ok
    } catch {
      return false
    }
  }
  expect(await worker.evaluate(reach, probe.url), 'the worker reaches a node').toBe(true)
  expect(await worker.evaluate(reach, byAddress), 'the worker reaches what its policy leaves out').toBe(false)
  expect(await worker.evaluate(reach, `${product.url}/api/config`), 'the demo’s own node is at this origin').toBe(true)
  expect(await page.evaluate(reach, probe.url), 'the page reaches a node').toBe(false)
  expect(await page.evaluate(injectText), 'text becomes HTML, a script or a worker').toEqual([])
  probe.server.close()
  await page.close()
})

test('the transparency page checks the log against what was seen and what is anchored', async ({ browser }) => {
  const writer = await admin.newPage()
  const page = await (await browser.newContext()).newPage()
  await page.goto(`${product.url}/transparency`)
  await expect(page.getByText('None', { exact: true })).toBeVisible()
  await page.getByLabel('Chain reads go to').fill(product.chainUrl)
  const first = await (await page.request.get(`${product.url}/api/log/checkpoint`)).text()

  await page.getByRole('button', { name: 'Check in this browser' }).click()
  await expect(page.getByText(/Begins with the .* that the chain has held/)).toBeVisible()
  await expect(page.getByText(/Nothing is kept in this browser yet\. This checkpoint is/)).toBeVisible()

  await saveProof(writer, await issueAlert(writer, 'The log grows.'))
  await page.reload()
  await page.getByRole('button', { name: 'Check in this browser' }).click()
  await expect(page.getByText(/Begins with the .* that you last saw, and adds \d/)).toBeVisible()

  await test.step('a log that is shown shorter than before is noticed without being asked', async () => {
    await page.route('**/api/log/checkpoint', (route) => route.fulfill({ contentType: 'text/plain', body: first }))
    await page.reload()
    await expect(page.getByRole('alert').getByText('This is not the log that you checked')).toBeVisible()
    await page.getByRole('button', { name: 'Check in this browser' }).click()
    await expect(page.getByText(/entries when you last saw it, now it shows/)).toBeVisible()
    await page.unroute('**/api/log/checkpoint')
    await page.reload()
    await page.getByRole('button', { name: 'Check in this browser' }).click()
    await expect(page.getByText(/that you last saw/)).toBeVisible()
    await expect(page.getByText('This is not the log that you checked')).toBeHidden()
  })
  await page.context().close()
  await writer.close()
})

test('the receipt of a paid plan is saved, checked against the chains, and a changed one is refused', async ({
  browser,
}) => {
  const { client } = await signUpAndBuy({ url: product.url, chainUrl: product.chainUrl }, 77, () => {})
  const context = await browser.newContext()
  const cookies = client.cookie().split('; ')
  await context.addCookies(
    cookies.map((cookie) => {
      const at = cookie.indexOf('=')
      return { name: cookie.slice(0, at), value: cookie.slice(at + 1), url: product.url }
    }),
  )
  const page = await context.newPage()
  await page.goto(`${product.url}/history?tab=payments`)
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Receipt' }).first().click()
  const receipt = JSON.parse(await readFile(await (await saving).path(), 'utf8'))

  await page.goto(`${product.url}/verification`)
  const open = (file: object) =>
    page.getByLabel(/Open a receipt/).setInputFiles({
      name: 'receipt.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(file)),
    })
  await open({ ...receipt, version: 2 })
  await expect(page.getByText('This file can’t be used as a receipt.')).toBeVisible()
  await open({ ...receipt, bytes: receipt.bytes.replace('"plan":"6h"', '"plan":"3d"') })
  await page.getByRole('button', { name: 'Check the receipt' }).click()
  await expect(page.getByRole('heading', { name: 'Failed', exact: true })).toBeVisible()
  await expect(page.getByText(/The signature leads to/)).toBeVisible()
  await open(receipt)
  await page.getByRole('button', { name: 'Check the receipt' }).click()
  await expect(page.getByRole('heading', { name: 'Verified', exact: true })).toBeVisible()
  await expect(page.getByText(/moved it to the treasury/)).toBeVisible()
  await context.close()
})

test('a correction and a retraction are shown wherever the alert is, with links both ways', async () => {
  const page = await admin.newPage()
  const wrong = await issueAlert(page, 'Volume reached 41× its norm.')
  const empty = await issueAlert(page, 'Every bid vanished.')
  await page.goto(`${product.url}/admin?tab=alerts`)

  await page.getByRole('button', { name: `Correct #${wrong.logIndex}…` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /^Correct #/ }).click()
  await expect(dialog.getByText(/Change at least one field/)).toBeVisible()
  await dialog.getByLabel('Summary').fill('Volume reached 4.1× its norm.')
  await expect(dialog.getByRole('region', { name: 'Changes' }).getByRole('insertion')).toHaveText(
    'Volume reached 4.1× its norm.',
  )
  await dialog.getByRole('button', { name: /^Correct #/ }).click()
  await expect(page.getByText(new RegExp(`#\\d+ corrects #${wrong.logIndex}\\.`)).first()).toBeVisible()

  await page.getByRole('button', { name: `Retract #${empty.logIndex}…` }).click()
  await dialog.getByLabel('Reason').fill('The venue had halted.')
  await dialog.getByLabel(/to confirm/).fill('1')
  await dialog.getByRole('button', { name: /^Retract #/ }).click()
  await expect(dialog.getByText(`Type ${empty.logIndex} to retract it`)).toBeVisible()
  await dialog.getByLabel(/to confirm/).fill(`#${empty.logIndex}`)
  await dialog.getByRole('button', { name: /^Retract #/ }).click()
  await expect(page.getByText(new RegExp(`#\\d+ retracts #${empty.logIndex}\\.`)).first()).toBeVisible()
  await expect(page.getByRole('button', { name: `Retract #${empty.logIndex}…` })).toHaveCount(0)

  await page.goto(`${product.url}/notifications?alert=${empty.id}`)
  const open = page.getByRole('listitem').filter({ hasText: 'Every bid vanished.' })
  await expect(open.getByText('The venue had halted.')).toBeVisible()
  await open.getByRole('link', { name: /^#\d+$/ }).click()
  const retraction = page.getByRole('listitem').filter({ hasText: `Retracts #${empty.logIndex}` })
  await expect(retraction.getByRole('link', { name: `#${empty.logIndex}` })).toBeVisible()
  await expect(page.getByText(`Corrects #${wrong.logIndex}`)).toBeVisible()
  await expect(page.getByText(/^Corrected by #\d+$/)).toBeVisible()

  await test.step('a retraction is verified like any other alert', async () => {
    const entry = (await listAlerts(page)).find(({ targetIndex }) => targetIndex === empty.logIndex)
    if (!entry) throw new Error('There is no retraction')
    const file = await saveProof(page, entry)
    await openVerification(page)
    await page.getByLabel('Chain reads go to').fill(product.chainUrl)
    await recompute(page, file)
    await expect(page.getByRole('heading', { name: 'Verified', exact: true })).toBeVisible()
    await expect(page.getByText(`Retracts`, { exact: false }).first()).toBeVisible()
  })
  await page.close()
})

/** What an alert says, as the specification names it. */
const contentFields = ['id', 'asset', 'priority', 'summary', 'confidence', 'regime', 'anomalyType', 'createdAt']

type Issued = { id: string; logIndex: number; avalancheTx: string | null; targetIndex: number | null }

async function issueAlert(page: Page, summary: string): Promise<Issued> {
  const data = { asset: 'ETH/USDT', confidence: 90.5, priority: 'high', summary }
  const answer = await page.request.post(`${product.url}/api/alerts`, { data, headers: { origin: product.url } })
  expect(answer.status()).toBe(201)
  return (await answer.json()).alert
}

async function listAlerts(page: Page): Promise<Issued[]> {
  return (await page.request.get(`${product.url}/api/alerts`)).json()
}

/** Saves the proof of an alert, once it is anchored, the way a person does. */
async function saveProof(page: Page, { id }: Issued): Promise<ProofFile> {
  await expect
    .poll(async () => (await listAlerts(page)).find((alert) => alert.id === id)?.avalancheTx ?? null)
    .not.toBeNull()
  await page.goto(`${product.url}/notifications?alert=${id}`)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download proof' }).click()
  const saved = await download
  expect(saved.suggestedFilename()).toMatch(/^tocsin-\d+\.json$/)
  return JSON.parse(await readFile(await saved.path(), 'utf8'))
}

/** The page, with its worker: from here on a check needs nothing from the server. */
async function openVerification(page: Page): Promise<Worker> {
  // Asked for once the page before is gone: it may have begun a worker of its own a moment ago.
  await page.goto(`${product.url}/verification`)
  const worker = page.workers()[0] ?? (await page.waitForEvent('worker'))
  await worker.evaluate(() => true)
  await expect(page.getByLabel('Chain reads go to')).toBeVisible()
  return worker
}

async function recompute(page: Page, value: object): Promise<void> {
  await page.getByLabel('Alert JSON').fill(JSON.stringify(value))
  await page.getByRole('button', { name: 'Recompute in this browser' }).click()
}

/**
 * Puts the product out of the page’s reach. Answers what is asked from then on; the page’s own
 * polling stops as it does offline. Code that the page fetches late for something else, as the
 * wallet’s, may still be asked for, but does not come: what works from here on works without.
 */
async function cutOff(page: Page): Promise<string[]> {
  await page.evaluate(() => window.dispatchEvent(new Event('offline')))
  await page.route(`${product.url}/**`, (route) => route.abort())
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.resourceType() !== 'script') asked.push(request.url())
  })
  return asked
}

/**
 * Runs in a page: the ways in which a text could become HTML, a script or a worker there. Each must
 * throw.
 */
function injectText(): string[] {
  const ways: Record<string, () => unknown> = {
    innerHTML: () => Object.assign(document.createElement('div'), { innerHTML: '<b>text</b>' }),
    'script address': () => Object.assign(document.createElement('script'), { src: '/theme.js' }),
    'script text': () => Object.assign(document.createElement('script'), { text: '1' }),
    worker: () => new Worker('/theme.js'),
    'another policy': () => Reflect.get(window, 'trustedTypes').createPolicy('other', {}),
    'a second policy of a known name': () => Reflect.get(window, 'trustedTypes').createPolicy('tocsin-worker', {}),
  }
  return Object.entries(ways).flatMap(([name, inject]) => {
    try {
      inject()
      return [name]
    } catch {
      return []
    }
  })
}

/** Another last digit. */
function flip(hex: unknown): string {
  const text = String(hex)
  return text.slice(0, -1) + (text.endsWith('0') ? '1' : '0')
}

function serve(listener: RequestListener): Promise<{ url: string; server: Server }> {
  return new Promise((resolve) => {
    const server = createServer(listener)
    server.listen(0, () => {
      const address = server.address()
      const port = address !== null && typeof address === 'object' ? address.port : 0
      resolve({ url: `http://127.0.0.1:${port}`, server })
    })
  })
}
