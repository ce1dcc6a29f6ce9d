import { readFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type BrowserContext, expect, type Page, type Worker } from '@playwright/test'
import { signUpAndBuy } from '@tocsin/testkit'
import { formatAlertNumber } from './alert-number.ts'
import { test } from './browser-test.ts'
import { type Product, startProduct } from './product.ts'
import { startSession } from './session.ts'
import { heartbeatsDisabled } from './shop.ts'
import { expectToastIn, recordToasts } from './toasts.ts'

let product: Product
/** Signed in as the admin, who can read every alert. */
let admin: BrowserContext

test.beforeAll(async ({ browser }) => {
  // Disable heartbeats: while the chain saves a block, it can exceed the time limit of the pages
  // for chain requests.
  product = await startProduct(heartbeatsDisabled)
  admin = await browser.newContext()
  await recordToasts(admin)
  await startSession(admin, product.url, product.admin)
})
test.afterAll(async () => {
  await admin?.close()
  await product?.discard()
})

/** A downloaded proof file. Tests change any of its fields. */
type ProofFile = { alert: Record<string, unknown>; keys: unknown[] } & Record<string, unknown>

test('verification: recomputes an alert from its proof file when the server is unreachable', async () => {
  const page = await admin.newPage()
  const file = await saveProof(page, await issueAlert(page, 'Recomputed without the server.'))
  await openVerification(page)
  await page.getByLabel('Node for chain reads (JSON-RPC URL)').fill(product.chainUrl)
  const requestedUrls = await blockServerRequests(page)

  const text = JSON.stringify(file, null, 2)
  await page.getByLabel(/Open a proof file/).setInputFiles({
    name: 'proof.json',
    mimeType: 'application/json',
    buffer: Buffer.from(text),
  })
  // The page reads the file asynchronously.
  await expect(page.getByLabel('Alert JSON')).toHaveValue(text)
  await page.getByRole('button', { name: 'Recompute in this browser' }).click()
  await expect(page.getByRole('heading', { name: 'Verified', exact: true })).toBeVisible()
  await expect(page.getByText('6 of 6')).toBeVisible()
  const chainHost = new URL(product.chainUrl).host
  await expect(page.getByText(`Queried only ${chainHost}`)).toBeVisible()
  await expect(page.getByText('No request of the check went to this site’s server.')).toBeVisible()
  await expect(page.getByText(/The check trusted the first signer/)).toBeVisible()
  await expect(page.getByRole('img', { name: /^Merkle path of leaf/ })).toBeVisible()

  expect(requestedUrls.filter((url) => new URL(url).host !== chainHost)).toEqual([])
  expect(requestedUrls.length).toBeGreaterThan(3)
  await page.close()
})

test('verification: fails at the corresponding check when one byte of a proof is changed', async () => {
  const page = await admin.newPage()
  const file = await saveProof(page, await issueAlert(page, 'One byte of this will change.'))
  await openVerification(page)
  await page.getByLabel('Node for chain reads (JSON-RPC URL)').fill(product.chainUrl)
  const { alert } = file
  const path = alert.merklePath
  if (!Array.isArray(path)) throw new Error('The proof file has no path')
  // Consecutive cases fail at different steps, so a result cannot be that of the previous case.
  const changes: [what: string, step: number, alert: object][] = [
    ['content', 1, { summary: 'One byte of that will change.' }],
    ['path', 3, { merklePath: [changeLastDigit(path[0]), ...path.slice(1)] }],
    ['signature', 2, { signature: changeLastDigit(alert.signature) }],
    ['root', 3, { root: changeLastDigit(alert.root) }],
    ['transaction', 4, { avalancheTx: changeLastDigit(alert.avalancheTx) }],
    ['time of the anchor', 6, { anchoredAt: '2020-01-01T00:00:00.000Z' }],
  ]
  for (const [field, step, changed] of changes) {
    await recomputeOnPage(page, { ...file, alert: { ...alert, ...changed } })
    await expect(page.getByRole('heading', { name: `Failed at step ${step}` }), field).toBeVisible()
  }
  await recomputeOnPage(page, file)
  await expect(page.getByRole('heading', { name: 'Verified', exact: true })).toBeVisible()

  await test.step('fails when the file names another first signer, because trust anchors do not come from the file', async () => {
    await recomputeOnPage(page, { ...file, firstSigner: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' })
    await expect(page.getByRole('heading', { name: 'Failed at step 2' })).toBeVisible()
  })
  await page.close()
})

test('verification: verifies a pasted alert that lacks some fields when the reader can access the full alert', async ({
  browser,
}) => {
  const page = await admin.newPage()
  const { alert } = await saveProof(page, await issueAlert(page, 'Pasted with few fields.'))
  const fields = [...contentFields, 'signature', 'merklePath', 'avalancheTx', 'logIndex', 'treeSize', 'root']
  const pastedAlert = Object.fromEntries(fields.map((field) => [field, alert[field]]))
  await openVerification(page)
  await page.getByLabel('Node for chain reads (JSON-RPC URL)').fill(product.chainUrl)
  const pasteAlert = async (targetPage: Page, text: string) => {
    await targetPage.getByLabel('Alert JSON').fill(text)
    await targetPage.getByRole('button', { name: 'Verify alert' }).click()
  }
  await expect(page.getByRole('heading', { name: 'Unverified' })).toBeVisible()
  await page.getByRole('button', { name: 'Verify alert' }).click()
  for (const message of ['The alert JSON is missing', 'The signature is missing', 'The transaction is missing']) {
    await expect(page.getByRole('main').getByText(message)).toBeVisible()
  }
  await expectToastIn(page, 'Missing Information', 'The alert JSON is missing')
  await pasteAlert(page, '{"id": ')
  await expectToastIn(page, 'Missing Information', /./)
  await pasteAlert(page, JSON.stringify({ ...pastedAlert, summary: 'Pasted with other words.' }))
  await expect(page.getByRole('heading', { name: 'Failed at step 1' })).toBeVisible()
  await expectToastIn(page, 'Verification Failed', 'The alert signature could not be verified')
  await pasteAlert(page, JSON.stringify(pastedAlert))
  await expect(page.getByRole('heading', { name: 'Verified', exact: true })).toBeVisible()
  await recomputeOnPage(page, pastedAlert)
  await expect(page.getByRole('heading', { name: 'Verified', exact: true })).toBeVisible()
  await expect(page.getByText('6 of 6')).toBeVisible()
  await page.close()

  await test.step('an account without a plan sees which fields are missing', async () => {
    const context = await browser.newContext()
    await recordToasts(context)
    const otherPage = await context.newPage()
    await startSession(context, product.url, product.trader)
    await otherPage.goto(`${product.url}/verification`)
    await pasteAlert(otherPage, JSON.stringify(pastedAlert))
    await expect(otherPage.getByRole('heading', { name: 'Cannot check now' })).toBeVisible()
    await recomputeOnPage(otherPage, pastedAlert)
    await expect(otherPage.getByRole('main').getByText(/The pasted alert lacks origin/)).toBeVisible()
    await expectToastIn(otherPage, 'Verification Error', /The pasted alert lacks origin/)
    await otherPage.route('**/api/alerts/verify', (route) => route.abort())
    await otherPage.getByRole('button', { name: 'Verify alert' }).click()
    await expectToastIn(otherPage, 'Verification Error', 'The alert could not be checked. Please try again.')
    await context.close()
  })
})

test('verification: reports "cannot check" with the cause when the chain node is unusable', async () => {
  const page = await admin.newPage()
  const file = await saveProof(page, await issueAlert(page, 'The chain is away.'))
  await openVerification(page)
  const respondWithJson = (body: object, headers = {}): RequestListener => {
    return (_request, response) => response.writeHead(200, headers).end(JSON.stringify(body))
  }
  const openCorsHeaders = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }
  const nodeWithoutCors = await startServer(respondWithJson({ result: '0x7a69' }))
  const otherChain = await startServer(respondWithJson({ result: '0x1' }, openCorsHeaders))
  const otherService = await startServer(respondWithJson({ hello: 'there' }, openCorsHeaders))
  const nodes: [url: string, error: RegExp][] = [
    ['http://127.0.0.1:1', /No server responds at this address/],
    [nodeWithoutCors.url, /does not let web pages read its responses \(CORS\)/],
    [otherChain.url, /This node belongs to chain 1\. Enter a node of chain 31337\./],
    [otherService.url, /is not a blockchain node/],
    ['http://node.example', /Only https/],
  ]
  for (const [url, error] of nodes) {
    await page.getByLabel('Node for chain reads (JSON-RPC URL)').fill(url)
    await recomputeOnPage(page, file)
    await expect(page.getByRole('heading', { name: 'Cannot check now' }), url).toBeVisible()
    await expect(page.getByText(error).first()).toBeVisible()
  }
  for (const { server } of [nodeWithoutCors, otherChain, otherService]) server.close()
  await page.close()
})

test('verification: shows "Not yet anchored" when an alert is too new', async () => {
  const page = await admin.newPage()
  const freshAlert = await issueAlert(page, 'Too fresh to be anchored.')
  expect(freshAlert.avalancheTx).toBeNull()
  await openVerification(page)
  await page.getByLabel('Node for chain reads (JSON-RPC URL)').fill(product.chainUrl)
  await recomputeOnPage(page, freshAlert)
  await expect(page.getByRole('heading', { name: 'Not yet anchored' })).toBeVisible()
  await expect(page.getByText('The key lists had been fetched from it before.')).toBeVisible()
  await page.close()
})

test('content security policy: the worker can reach HTTPS and local nodes, and the page cannot reach nodes or inject markup', async () => {
  const page = await admin.newPage()
  const worker = await openVerification(page)
  const script = await page.request.get(worker.url())
  expect(script.headers()['content-security-policy']).toContain(
    'connect-src https: http://localhost:* http://127.0.0.1:*',
  )
  const probeServer = await startServer((_request, response) => {
    response.writeHead(200, { 'access-control-allow-origin': '*' }).end('{}')
  })
  const otherLoopback = probeServer.url.replace('127.0.0.1', '127.0.0.2')
  const isReachable = async (url: string) => {
    try {
      return (await fetch(url)).ok
    } catch {
      return false
    }
  }
  expect(await worker.evaluate(isReachable, probeServer.url), 'the worker reaches a node').toBe(true)
  expect(await worker.evaluate(isReachable, otherLoopback), 'the worker cannot reach other addresses').toBe(false)
  expect(
    await worker.evaluate(isReachable, `${product.url}/api/config`),
    'the worker reaches its own origin, where the demo node is',
  ).toBe(true)
  expect(await page.evaluate(isReachable, probeServer.url), 'the page cannot reach a node').toBe(false)
  expect(await page.evaluate(injectText), 'no text becomes HTML, a script or a worker').toEqual([])
  probeServer.server.close()
  await page.close()
})

test('transparency: checks the log against the last seen checkpoint and the anchored one', async ({ browser }) => {
  const writer = await admin.newPage()
  const page = await (await browser.newContext()).newPage()
  await page.goto(`${product.url}/transparency`)
  await expect(page.getByText('None', { exact: true })).toBeVisible()
  await page.getByLabel('Node for chain reads (JSON-RPC URL)').fill(product.chainUrl)
  const first = await (await page.request.get(`${product.url}/api/log/checkpoint`)).text()

  await page.getByRole('button', { name: 'Check in this browser' }).click()
  await expect(page.getByText(/Begins with the .* that the root in block .* covers/)).toBeVisible()
  await expect(page.getByText(/This browser had no checkpoint yet\. It has stored this one/)).toBeVisible()

  await saveProof(writer, await issueAlert(writer, 'The log grows.'))
  await page.reload()
  await page.getByRole('button', { name: 'Check in this browser' }).click()
  await expect(page.getByText(/Begins with the .* that you last saw, and adds \d/)).toBeVisible()

  await test.step('warns without user action when the log is shorter than the last seen one', async () => {
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

test('receipt: is downloaded and verified on the chains, and rejected when it was changed', async ({ browser }) => {
  const { client } = await signUpAndBuy({ url: product.url, chainUrl: product.chainUrl }, 77, () => {})
  const context = await browser.newContext()
  const cookies = client.cookie().split('; ')
  await context.addCookies(
    cookies.map((cookie) => {
      const equalsIndex = cookie.indexOf('=')
      return { name: cookie.slice(0, equalsIndex), value: cookie.slice(equalsIndex + 1), url: product.url }
    }),
  )
  const page = await context.newPage()
  await page.goto(`${product.url}/history?tab=payments`)
  const downloadEvent = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Receipt' }).first().press('Enter')
  const receipt = JSON.parse(await readFile(await (await downloadEvent).path(), 'utf8'))

  await page.goto(`${product.url}/verification`)
  const openReceipt = (file: object) =>
    page.getByLabel(/Open a receipt/).setInputFiles({
      name: 'receipt.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(file)),
    })
  await openReceipt({ ...receipt, version: 2 })
  await expect(page.getByText('This file can’t be used as a receipt.')).toBeVisible()
  await openReceipt({ ...receipt, bytes: receipt.bytes.replace('"plan":"6h"', '"plan":"3d"') })
  await page.getByRole('button', { name: 'Check the receipt' }).click()
  await expect(page.getByRole('heading', { name: 'Failed', exact: true })).toBeVisible()
  await expect(page.getByText(/The signature leads to/)).toBeVisible()
  await openReceipt(receipt)
  await page.getByRole('button', { name: 'Check the receipt' }).click()
  await expect(page.getByRole('heading', { name: 'Verified', exact: true })).toBeVisible()
  await expect(page.getByText(/moved the stated amount to the treasury/)).toBeVisible()
  await context.close()
})

test('correction and retraction: are shown with the original alert and linked in both directions', async () => {
  const page = await admin.newPage()
  const wrongAlert = await issueAlert(page, 'Volume reached 41× its norm.')
  const retractedAlert = await issueAlert(page, 'Every bid vanished.')
  const wrongNumber = formatAlertNumber(wrongAlert.logIndex)
  const retractedNumber = formatAlertNumber(retractedAlert.logIndex)
  await page.goto(`${product.url}/admin?tab=alerts`)

  await page.getByRole('button', { name: `Correct ${wrongNumber}…` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /^Correct #/ }).click()
  await expect(dialog.getByText(/Change at least one field/)).toBeVisible()
  await dialog.getByLabel('Summary').fill('Volume reached 4.1× its norm.')
  await expect(dialog.getByRole('region', { name: 'Changes' }).getByRole('insertion')).toHaveText(
    'Volume reached 4.1× its norm.',
  )
  await dialog.getByRole('button', { name: /^Correct #/ }).click()
  await expectToastIn(page, 'Alert Corrected', new RegExp(`#[\\d,]+ corrects ${wrongNumber}\\.`))

  await page.getByRole('button', { name: `Retract ${retractedNumber}…` }).press('Enter')
  await dialog.getByLabel('Reason').fill('The venue had halted.')
  await dialog.getByLabel(/to confirm/).fill('1')
  await dialog.getByRole('button', { name: /^Retract #/ }).click()
  await expect(dialog.getByText(`Type ${retractedAlert.logIndex} to retract it`)).toBeVisible()
  await dialog.getByLabel(/to confirm/).fill(`#${retractedAlert.logIndex}`)
  await dialog.getByRole('button', { name: /^Retract #/ }).click()
  await expectToastIn(page, 'Alert Retracted', new RegExp(`#[\\d,]+ retracts ${retractedNumber}\\.`))
  await expect(page.getByRole('button', { name: `Retract ${retractedNumber}…` })).toHaveCount(0)

  await page.goto(`${product.url}/notifications?alert=${retractedAlert.id}`)
  const openArticle = page.getByRole('article').filter({ hasText: 'Every bid vanished.' })
  await expect(openArticle.getByText('The venue had halted.')).toBeVisible()
  // Use the keyboard, as for the download of a proof: parts of the alert that load later can move
  // the link.
  await openArticle.getByRole('link', { name: /^#[\d,]+$/ }).press('Enter')
  const retraction = page.getByRole('article').filter({ hasText: `Retracts ${retractedNumber}` })
  await expect(retraction.getByRole('link', { name: retractedNumber })).toBeVisible()
  await expect(page.getByText(`Corrects ${wrongNumber}`)).toBeVisible()
  await expect(page.getByText(/^Corrected by #[\d,]+$/)).toBeVisible()

  await test.step('a retraction is verified like any other alert', async () => {
    const entry = (await listAlerts(page)).find(({ targetIndex }) => targetIndex === retractedAlert.logIndex)
    if (!entry) throw new Error('There is no retraction')
    const file = await saveProof(page, entry)
    await openVerification(page)
    await page.getByLabel('Node for chain reads (JSON-RPC URL)').fill(product.chainUrl)
    await recomputeOnPage(page, file)
    await expect(page.getByRole('heading', { name: 'Verified', exact: true })).toBeVisible()
    await expect(page.getByText(`Retracts`, { exact: false }).first()).toBeVisible()
  })
  await page.close()
})

/** Content fields of an alert, as named in the specification. */
const contentFields = ['id', 'asset', 'priority', 'summary', 'confidence', 'regime', 'anomalyType', 'createdAt']

type IssuedAlert = { id: string; logIndex: number; avalancheTx: string | null; targetIndex: number | null }

async function issueAlert(page: Page, summary: string): Promise<IssuedAlert> {
  const data = { asset: 'ETH/USDT', confidence: 90.5, priority: 'high', summary }
  const response = await page.request.post(`${product.url}/api/alerts`, { data, headers: { origin: product.url } })
  expect(response.status()).toBe(201)
  return (await response.json()).alert
}

async function listAlerts(page: Page): Promise<IssuedAlert[]> {
  return (await page.request.get(`${product.url}/api/alerts`)).json()
}

/** Waits until the alert is anchored and downloads its proof from the Notifications page. */
async function saveProof(page: Page, { id }: IssuedAlert): Promise<ProofFile> {
  await expect
    .poll(async () => (await listAlerts(page)).find((alert) => alert.id === id)?.avalancheTx ?? null)
    .not.toBeNull()
  await page.goto(`${product.url}/notifications?alert=${id}`)
  const downloadEvent = page.waitForEvent('download')
  // Use the keyboard: parts of the alert that load later move the button, and a click is lost if
  // its button moves between press and release.
  await page.getByRole('button', { name: 'Download proof' }).press('Enter')
  const savedFile = await downloadEvent
  expect(savedFile.suggestedFilename()).toMatch(/^tocsin-\d+\.json$/)
  return JSON.parse(await readFile(await savedFile.path(), 'utf8'))
}

/**
 * Opens the verification page and waits for its workers, so later checks need nothing from the
 * server.
 */
async function openVerification(page: Page): Promise<Worker> {
  // Read the workers only after the navigation: the previous page may have had workers too.
  await page.goto(`${product.url}/verification`)
  await expect(page.getByLabel('Node for chain reads (JSON-RPC URL)')).toBeVisible()
  // Wait for a second worker, because the first one may be the one that checks new alerts.
  await expect.poll(() => page.workers().length).toBeGreaterThan(1)
  const workers = page.workers()
  await Promise.all(workers.map((worker) => worker.evaluate(() => true)))
  const [worker] = workers
  if (!worker) throw new Error('The page has no worker')
  // Wait for the code that runs checks. The page loads it after the first paint.
  await page.waitForLoadState('networkidle')
  return worker
}

async function recomputeOnPage(page: Page, value: object): Promise<void> {
  await page.getByLabel('Alert JSON').fill(JSON.stringify(value))
  await page.getByRole('button', { name: 'Recompute in this browser' }).click()
}

/**
 * Blocks all requests to the product and fires `offline`, which stops the polling of the page.
 * Lazy-loaded scripts, such as the wallet's, may still be requested, but the requests fail.
 * @returns the URLs requested from now on, without scripts
 */
async function blockServerRequests(page: Page): Promise<string[]> {
  await page.evaluate(() => window.dispatchEvent(new Event('offline')))
  await page.route(`${product.url}/**`, (route) => route.abort())
  const requestedUrls: string[] = []
  page.on('request', (request) => {
    if (request.resourceType() !== 'script') requestedUrls.push(request.url())
  })
  return requestedUrls
}

/**
 * Runs in the page. Tries to turn text into HTML, a script or a worker; Trusted Types must make
 * each attempt throw.
 * @returns the names of the attempts that succeeded
 */
function injectText(): string[] {
  const attempts: Record<string, () => unknown> = {
    innerHTML: () => Object.assign(document.createElement('div'), { innerHTML: '<b>text</b>' }),
    'script address': () => Object.assign(document.createElement('script'), { src: '/theme.js' }),
    'script text': () => Object.assign(document.createElement('script'), { text: '1' }),
    worker: () => new Worker('/theme.js'),
    'another policy': () => Reflect.get(window, 'trustedTypes').createPolicy('other', {}),
    'a second policy of a known name': () => Reflect.get(window, 'trustedTypes').createPolicy('tocsin-worker', {}),
  }
  return Object.entries(attempts).flatMap(([name, runAttempt]) => {
    try {
      runAttempt()
      return [name]
    } catch {
      return []
    }
  })
}

/** Changes the last digit. */
function changeLastDigit(hex: unknown): string {
  const text = String(hex)
  return text.slice(0, -1) + (text.endsWith('0') ? '1' : '0')
}

function startServer(listener: RequestListener): Promise<{ url: string; server: Server }> {
  return new Promise((resolve) => {
    const server = createServer(listener)
    server.listen(0, () => {
      const address = server.address()
      const port = address !== null && typeof address === 'object' ? address.port : 0
      resolve({ url: `http://127.0.0.1:${port}`, server })
    })
  })
}
