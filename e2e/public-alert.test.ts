import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, type BrowserContext, expect, type Page } from '@playwright/test'
import { alert as alertSchema } from '@tocsin/protocol'
import { createTestClient } from '@tocsin/testkit'
import { startLocalChain } from '../apps/demo/src/local-chain.ts'
import { displayModes, expectAccessible } from './accessible.ts'
import { advanceClock } from './advance-clock.ts'
import { test } from './browser-test.ts'
import { closeByEscape } from './close-dialog.ts'
import { expectLayout } from './expect-layout.ts'
import { type Product, startProduct } from './product.ts'
import { startSession } from './session.ts'
import { heartbeatsDisabled } from './shop.ts'

let product: Product
let node: Awaited<ReturnType<typeof startNodeProxy>>
/** Index and summary of a public alert with an outcome. */
let logIndex: number
let summary: string

test.beforeAll(async () => {
  node = await startNodeProxy()
  // Disable heartbeats: while the chain saves a block, it can exceed the time limit of the pages
  // for chain requests.
  product = await startProduct({ ANCHOR_PUBLIC_RPC_URL: node.url, ...heartbeatsDisabled })
  node.forwardTo(product.chainUrl)
  const alerts = await createTestClient(product.url).call('publicAlerts', { query: { limit: 100 } })
  // Skip predictions of a spread: they are about two markets, so their pages show no final price.
  const decidedAlert = alerts.find(
    ({ outcome, supersededBy, prediction }) =>
      outcome !== undefined && supersededBy === null && prediction?.metric !== 'spread',
  )
  if (!decidedAlert) throw new Error('The demo has no public alert with an outcome of one market')
  ;({ logIndex, summary } = decidedAlert)
})
test.afterAll(async () => {
  await product?.discard()
  node?.server.close()
})

/**
 * Starts a proxy of the chain's node with its own address. It can be paused or made to fail, and it
 * keeps running after the product has stopped.
 */
async function startNodeProxy() {
  let target = ''
  let release: () => void = () => {}
  let isOpen = Promise.resolve()
  let isFailing = false
  const server = createServer(async (request, response) => {
    response.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', '*')
    if (request.method === 'OPTIONS') return response.end()
    const body = await new Response(request as unknown as ReadableStream).text()
    await isOpen
    if (isFailing) return response.writeHead(503).end()
    const reply = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    return response.setHeader('content-type', 'application/json').end(await reply.text())
  })
  const url = await listenOnLoopback(server)
  return {
    server,
    url,
    forwardTo(to: string) {
      target = to
    },
    hold() {
      isOpen = new Promise((resolve) => {
        release = resolve
      })
    },
    release: () => release(),
    fail(isDown: boolean) {
      isFailing = isDown
    },
  }
}

async function listenOnLoopback(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The address of a server that listens on a TCP port is an AddressInfo.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const findVerdict = (page: Page) => page.getByText('Verified', { exact: true }).first()

/** Opens a page in a new browser context. */
async function openFreshPage(browser: Browser, options: Parameters<Browser['newContext']>[0] = {}) {
  const context = await browser.newContext(options)
  return context.newPage()
}

async function signInAdmin(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext()
  await startSession(context, product.url, product.admin)
  return context
}

async function issueAlert(admin: BrowserContext, text: string) {
  const body = { asset: 'ZZQ/USDT', summary: text, confidence: 71.5, priority: 'critical' }
  const reply = await admin.request.post(`${product.url}/api/alerts`, {
    headers: { origin: product.url },
    data: body,
  })
  return alertSchema.parse((await reply.json()).alert)
}

test('public alert: is verified on load in a new browser profile, and shows the node used', async ({ browser }) => {
  const page = await openFreshPage(browser, { timezoneId: 'Asia/Tokyo' })
  await page.goto(`${product.url}/a/${logIndex}`)
  await expect(page.getByText(`in your browser against ${new URL(node.url).host}, 6 of 6 checks`)).toBeVisible()
  await expect(findVerdict(page)).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toContainText(summary.slice(0, 10))
  await expect(page.getByRole('region', { name: 'Prediction' })).toBeVisible()
  // The page has replaced the UTC times that the server rendered by local times.
  await expect(page.getByText(/^\d+ \w{3} \d{4} \d\d:\d\d:\d\d GMT\+9$/).first()).toBeVisible()
  await expect(page.getByRole('main').getByText(/\bUTC\b/)).toHaveCount(0)
  await expectAccessible(page, 'public alert')

  await test.step('the page downloads the proof, and copies the link and the embed code', async () => {
    const downloadEvent = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download proof' }).click()
    const file = JSON.parse(await readFile(await (await downloadEvent).path(), 'utf8'))
    expect(file).toMatchObject({ format: 'tocsin-proof', alert: { logIndex } })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Embed' }).click()
    const readClipboard = () => page.evaluate(() => navigator.clipboard.readText())
    await expect.poll(readClipboard).toContain(`<iframe src="${product.url}/embed/${logIndex}"`)
    await page.getByRole('button', { name: 'Copy link' }).click()
    await expect.poll(readClipboard).toBe(`${product.url}/a/${logIndex}`)
  })
})

test('track record: the browser recomputes the same figures with WebAssembly', async ({ browser }) => {
  const page = await openFreshPage(browser)
  await page.goto(`${product.url}/track-record`)
  const startedWorker = page.waitForEvent('worker', (worker) => worker.url().includes('/recompute-worker-'))
  await page.getByRole('button', { name: 'Recompute 30 days here' }).click()
  const worker = await startedWorker
  // Compile the smallest possible module. The Content Security Policy of the worker must allow it.
  const compileModule = () => WebAssembly.compile(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)).then(() => 'compiled')
  expect(await worker.evaluate(compileModule)).toBe('compiled')
  await expect(page.getByText('The same figures as this site')).toBeVisible()
  await expect(page.getByText(/^The chain was queried through .* [\d,]+ ms\.$/)).toBeVisible()
})

test('public alert: has text and an image without JavaScript, and responds with 404 when the index is invalid', async ({
  browser,
}) => {
  const page = await openFreshPage(browser, { javaScriptEnabled: false })
  await page.goto(`${product.url}/a/${logIndex}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByText('Signed', { exact: true })).toBeVisible()
  await expect(page.getByText(/^\d+ \w{3} \d{4} \d\d:\d\d:\d\d UTC$/).first()).toBeVisible()
  await expect(page.locator('link[rel=canonical]')).toHaveAttribute('href', `${product.url}/a/${logIndex}`)
  const imageUrl = (await page.locator('meta[property="og:image"]').getAttribute('content')) ?? ''
  expect(imageUrl).toBe(`${product.url}/alert-images/${logIndex}.png`)
  const bytes = Buffer.from(await (await fetch(imageUrl)).arrayBuffer())
  expect(bytes.subarray(1, 4).toString()).toBe('PNG')
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630])
  // The picture is larger than an empty background, so it contains the alert's text and seal.
  expect(bytes.length).toBeGreaterThan(40_000)
  for (const index of ['-1', '1e3', '9007199254740993', 'text', 'x'.repeat(10_000)]) {
    const reply = await page.goto(`${product.url}/a/${index}`)
    expect(reply?.status(), index.slice(0, 20)).toBe(404)
    await expect(page.getByRole('heading', { name: 'Page Not Found' })).toBeVisible()
  }
})

test('embed: is verified in a frame of another site, which can frame no other page', async ({ browser }) => {
  const frames = [`/embed/${logIndex}`, `/a/${logIndex}/embed?theme=light`, `/a/${logIndex}`]
  const site = createServer((_request, response) => {
    const html = frames.map((path) => `<iframe src="${product.url}${path}" width="420" height="280"></iframe>`)
    response.writeHead(200, { 'content-type': 'text/html' }).end(html.join(''))
  })
  const page = await openFreshPage(browser, { timezoneId: 'Asia/Tokyo' })
  await page.goto(await listenOnLoopback(site))
  for (const at of [0, 1]) {
    const frame = page.frameLocator('iframe').nth(at)
    await expect(frame.getByText('Verified', { exact: true })).toBeVisible()
    await expect(frame.getByText('signed, unchanged', { exact: true })).toBeVisible()
    await expect(frame.getByText(`in your browser, ${new URL(node.url).host}`)).toBeVisible()
    await expect(frame.getByRole('img', { name: 'Proof: Anchored' })).toBeVisible()
    await expect(frame.getByText(/\d\d:\d\d:\d\d GMT\+9$/)).toBeVisible()
    await expect(frame.getByRole('link', { name: /^Open Tocsin #/ })).toHaveAttribute('href', `/a/${logIndex}`)
  }
  const readFrameUrl = () => page.frames().at(-1)?.url()
  await expect.poll(readFrameUrl, 'the page that is no embed').toBe('chrome-error://chromewebdata/')
  expect(await page.context().cookies(product.url)).toEqual([])
  site.close()
  await page.goto(`${product.url}/embed/${logIndex}`)
  await expect(page.getByText('Verified', { exact: true })).toBeVisible()
  await expectAccessible(page, 'embed')
  await expectLayout(page, 'embed')

  await page.route(`${product.url}/embed/${logIndex}`, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replace('"tocsin-proof"', '"unknown"') })
  })
  await page.reload()
  await expect(page.getByText('Cannot check now'), 'of data in an unknown format').toBeVisible()
})

test('public alert and embed: are checked again after 30 s or on request when the node did not respond', async ({
  browser,
}) => {
  const page = await openFreshPage(browser)
  await page.clock.install()
  for (const path of [`/a/${logIndex}`, `/embed/${logIndex}`]) {
    for (const trigger of ['after a while', 'on request'] as const) {
      await test.step(`${path}: is checked again ${trigger}`, async () => {
        node.fail(true)
        await page.goto(product.url + path)
        await expect(page.getByText('Cannot check now', { exact: true }).first()).toBeVisible()
        const checkAgainButton = page.getByRole('button', { name: 'Check again' })
        await expect(checkAgainButton).toBeVisible()
        node.fail(false)
        if (trigger === 'on request') await checkAgainButton.click()
        else await advanceClock(page, 30_000)
        await expect(findVerdict(page)).toBeVisible()
      })
    }
  }
  await expect(page.getByRole('button', { name: 'Check again' }), 'in the embed').toBeHidden()
})

test('public alert and embed: show the candles of the signed outcome, and the page shows their figures as a table', async ({
  browser,
}) => {
  const page = await openFreshPage(browser, { timezoneId: 'Asia/Tokyo' })
  const failures: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') failures.push(message.text())
  })
  await page.goto(`${product.url}/a/${logIndex}`)
  const figure = page.getByRole('figure', {
    name: /one-minute candles of .* Since then: high [\d.,]+, low [\d.,]+, last/,
  })
  await expect(figure).toContainText(/Signed with entry #[\d,]+/)
  const sinceIssueText = page.getByText(/^since issue, to [\d,.]+$/)
  await expect(sinceIssueText).toBeVisible()
  await figure.getByText('Candles as a table').click()
  await expect.poll(() => figure.getByRole('region', { name: 'Candles' }).getByRole('row').count()).toBeGreaterThan(5)
  await expect(findVerdict(page)).toBeVisible()
  await expect(page.getByText(/^Outcome “.+”, entry #[\d,]+: Verified/)).toBeVisible()
  await expectAccessible(page, 'public alert with candles')
  await expectLayout(page, 'public alert with candles')
  await page.goto(`${product.url}/embed/${logIndex}`)
  await expect(page.getByRole('img', { name: /one-minute candles of/ })).toBeVisible()
  const endTime = page.locator('time[data-show="clock"]')
  const tokyoEnd = new Date(Date.parse((await endTime.getAttribute('datetime')) ?? '') + 9 * 3_600_000)
  await expect(endTime).toHaveText(tokyoEnd.toISOString().slice(11, 19))
  expect(failures).toEqual([])

  await page.route('**/a/*', async (route) => {
    const response = await route.fetch()
    const [text, message] = [await response.text(), '"outcomeMessage":"{']
    expect(text).toContain(message)
    await route.fulfill({ response, body: text.replace(message, `${message} `) })
  })
  await page.goto(`${product.url}/a/${logIndex}`)
  await expect(page.getByText('Drawn from the signal'), 'another message is not drawn').toBeVisible()
  await expect(figure).toHaveCount(0)
  await expect(sinceIssueText).toHaveCount(0)
})

test('share: a link shows one new alert until it is revoked, and no request URL contains its token', async ({
  browser,
}) => {
  const admin = await signInAdmin(browser)
  const { id, logIndex: freshIndex } = await issueAlert(admin, 'Disclosed by a link.')
  const page = await admin.newPage()
  await page.goto(`${product.url}/notifications?alert=${id}`)
  // Use the keyboard: parts of the alert that load later move its buttons.
  await page.getByRole('button', { name: 'Share', exact: true }).press('Enter')
  await page.getByRole('button', { name: 'Create link' }).click()
  const dialog = page.getByRole('dialog')
  const linkField = dialog.getByRole('textbox', { name: 'Private link' })
  await expect(linkField).toHaveValue(/#[\w-]{43}$/)
  const link = await linkField.inputValue()
  await expectAccessible(page, 'share dialog', [displayModes.desktop])

  const reader = await openFreshPage(browser)
  const urls: string[] = []
  reader.on('request', (request) => urls.push(request.url(), request.headers().referer ?? ''))
  await reader.goto(link)
  await expect(reader.getByRole('heading', { level: 1, name: 'Disclosed by a link.' })).toBeVisible()
  await expect(reader.getByText('A subscriber shared this link with you.')).toBeVisible()
  await expect(findVerdict(reader)).toBeVisible()
  const [, token = ''] = link.split('#')
  expect(urls.filter((url) => url.includes(token))).toEqual([])

  await reader.goto(`${product.url}/a/${freshIndex}`)
  await expect(reader.getByRole('heading', { level: 1, name: /^Public from/ })).toBeVisible()
  await expectAccessible(reader, 'withheld alert')
  await dialog.getByRole('button', { name: 'Revoke my links' }).click()
  await expect(dialog.getByRole('button', { name: 'Links revoked' })).toBeVisible()
  await closeByEscape(dialog)
  await page.setViewportSize({ width: displayModes.phone.width, height: 900 })
  await page.getByRole('button', { name: 'Share', exact: true }).press('Enter')
  await expect(dialog.getByRole('button', { name: 'Create link' })).toBeVisible()
  await expectAccessible(page, 'share dialog', [displayModes.phone])
  await reader.goto('about:blank')
  await reader.goto(link)
  await expect(reader.getByText('This link no longer shows the alert.')).toBeVisible()
})

test('verification: “Check proof” opens the page with the alert verified, without showing “Unverified” first', async ({
  browser,
}) => {
  const admin = await signInAdmin(browser)
  const { id } = await issueAlert(admin, 'Checked with one click.')
  const page = await admin.newPage()
  await page.goto(`${product.url}/notifications?alert=${id}`)
  const headlines = new Set<string>()
  await page.exposeFunction('noteHeadline', (text: string) => headlines.add(text))
  await page.evaluate(() => {
    const note = (window as unknown as { noteHeadline(text: string): void }).noteHeadline
    new MutationObserver(() => {
      for (const { textContent } of document.querySelectorAll('[role=status] h2')) note(textContent)
    }).observe(document.body, { childList: true, subtree: true, characterData: true })
  })
  // Use the keyboard: parts of the alert that load later move the link.
  await page.getByRole('link', { name: 'Check proof' }).press('Enter')
  await expect(page.getByRole('heading', { name: 'Verified', exact: true })).toBeVisible()
  await expect(page.getByText('6 of 6')).toBeVisible()
  expect([...headlines]).not.toContain('Unverified')
})

test('verifier: is served as one file whose hash is shown on /transparency, and verifies a proof but not a changed one', async ({
  browser,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-verifier-'))
  const reply = await fetch(`${product.url}/tocsin-verify.mjs`)
  expect(reply.headers.get('content-type')).toMatch(/javascript/)
  const bytes = Buffer.from(await reply.arrayBuffer())
  const page = await openFreshPage(browser)
  await page.goto(`${product.url}/transparency`)
  await expect(page.getByText(createHash('sha256').update(bytes).digest('hex'))).toBeVisible()

  await writeFile(join(folder, 'tocsin-verify.mjs'), bytes)
  const client = createTestClient(product.url)
  const alertResponse = await client.call('alertAt', { params: { index: String(logIndex) } })
  if (alertResponse.access === 'withheld') throw new Error('The alert is not public')
  const { bundle } = alertResponse
  const runVerifier = async (file: object) => {
    await writeFile(join(folder, 'proof.json'), JSON.stringify(file))
    const trustArgs = ['--first-signer', bundle.firstSigner, '--contract', bundle.anchor.contract]
    const chain = ['--chain-id', String(bundle.anchor.chainId), '--rpc', node.url]
    // Run the verifier outside of the checkout, so that it cannot import files from it.
    return promisify(execFile)(process.execPath, ['tocsin-verify.mjs', 'proof.json', ...trustArgs, ...chain], {
      cwd: folder,
    })
  }
  expect((await runVerifier(bundle)).stdout).toMatch(/Block time +✓ passed/)
  await expect(runVerifier({ ...bundle, alert: { ...bundle.alert, summary: 'Changed.' } })).rejects.toMatchObject({
    code: 1,
  })
  await rm(folder, { recursive: true })
})

/** This test is the last one, because it stops the product. */
test('public alert: is verified although the server stops after the page has loaded', async ({ browser }) => {
  const page = await openFreshPage(browser)
  node.hold()
  await page.goto(`${product.url}/a/${logIndex}`)
  await expect(page.getByText('Checking…').first()).toBeVisible()
  // The first finished check shows that the page has loaded completely.
  await expect(page.getByText('Passed').or(page.getByText('Verified')).first()).toBeVisible()
  await product.stop()
  const chain = await startLocalChain({ dir: join(product.dataDir, 'chain'), port: 0 })
  node.forwardTo(chain.url)
  node.release()
  await expect(page.getByText(/in your browser against .*, 6 of 6 checks/)).toBeVisible()
  await expect(fetch(product.url)).rejects.toThrow()
  await chain.stop()
})
