import { readFile } from 'node:fs/promises'
import { type BrowserContext, type Download, expect, type Locator, type Page, type Route, test } from '@playwright/test'
import { expectAccessible, takeScreenshots } from './accessible.ts'
import { holdRequests } from './hold-requests.ts'
import { logIn } from './log-in.ts'
import { type Product, startProduct } from './product.ts'
import { installWallet } from './scripted-wallet.ts'
import { proveWallet, startSession } from './session.ts'
import { type SignalFeed, startSignalFeed } from './signal-feed.ts'
import { waitPastMidnight } from './wait-past-midnight.ts'

// Tests of the alert lists. The admin can read every alert, and the trader has no plan.

const WHEEL_PX = 800
/**
 * Number of rows in the scroll test, half of which are the demo's history. Set LIST_ROWS=10000 to
 * measure a long list.
 */
const MANY_ROWS = Number(process.env.LIST_ROWS ?? 1_020)
const HIDDEN_WORD = 'zqhiddenqz'
let product: Product
let feed: SignalFeed
let signalCount = 0

test.beforeAll(async ({ playwright }) => {
  feed = await startSignalFeed(...initialSignals.map((signal) => createSignal(signal)))
  product = await startProduct({ FEED_COOLDOWN_SECONDS: '0', LOG_LEVEL: 'warn' })
  const admin = await playwright.request.newContext({
    baseURL: product.url,
    extraHTTPHeaders: { origin: product.url },
  })
  const login = await admin.post('/api/auth/login', { data: product.admin })
  expect(login.ok()).toBe(true)
  const data = { externalEndpoint: feed.endpoint, reconnectInterval: 5, maxRetries: 5, isEnabled: true }
  expect((await admin.put('/api/admin/websocket/config', { data })).ok()).toBe(true)
  const searchAlerts = async (query: string) => (await admin.get(`/api/alerts/search?${query}`)).json()
  await expect.poll(async () => (await searchAlerts('q=LIST')).total.count).toBe(initialSignals.length)
  // Marks the alerts of the demo feed as read.
  const { items } = await searchAlerts('q=LIST')
  const first = Math.min(...items.map(({ alert }: { alert: { logIndex: number } }) => alert.logIndex))
  expect((await admin.post('/api/alerts/read-all', { data: { upTo: first - 1 } })).ok()).toBe(true)
  await admin.dispose()
})
test.afterAll(async () => {
  feed?.close()
  await product?.discard()
})

/** Measured series of the feed message whose hash the signed alert contains. */
const series = {
  unit: '×',
  stepSeconds: 60,
  values: [1, 0.9, 1.1, 1, 4.1, 2.2],
  triggerIndex: 4,
  mean: 1,
  deviation: 0.1,
}

type SignalContent = { asset?: string; anomalyType?: string; priority?: string; summary?: string; series?: object }

const initialSignals: SignalContent[] = [
  {
    asset: 'LISTA/USDT',
    anomalyType: 'Volume spike',
    priority: 'critical',
    summary: '=cmd|volume to be escaped',
    series,
  },
  { asset: 'LISTA/USDT', anomalyType: 'Funding flip', priority: 'low', summary: 'Funding turned' },
  { asset: 'LISTB/USDT', anomalyType: 'Volume spike', priority: 'critical', summary: `${HIDDEN_WORD} volume` },
]

function createSignal(content: SignalContent = {}): string {
  signalCount += 1
  return JSON.stringify({
    id: `list-${signalCount}`,
    asset: `M${signalCount}/USDT`,
    anomalyType: 'Book imbalance',
    confidence: 80.5,
    regime: 'Calm',
    summary: `Number ${signalCount} of many: bids near the middle outweigh asks by 3.4 to 1`,
    priority: 'medium',
    observedAt: new Date().toISOString(),
    ...content,
  })
}

async function openPageAs(
  context: BrowserContext,
  credentials: { email: string; password: string },
  path: string,
): Promise<Page> {
  const page = await context.newPage()
  await startSession(context, product.url, credentials)
  await page.goto(product.url + path)
  return page
}

const findRows = (page: Page) => page.getByRole('main').locator('[data-alert-row]')
const findUnreadRows = (page: Page) => findRows(page).filter({ hasText: /^Unread/ })
const findAlertRegion = (page: Page) => page.getByRole('region', { name: 'Alerts', exact: true })
const findCountText = (page: Page) => findAlertRegion(page).getByText(/^[\d,]+\+? alerts?$/)

/** Triggers a refetch of the list and delays its response until `respond` is called. */
async function delayListResponse(page: Page, refetch: () => Promise<void>): Promise<{ respond(): Promise<void> }> {
  let resolve: (respond: () => Promise<void>) => void = () => {}
  const pendingRespond = new Promise<() => Promise<void>>((resolveDelayed) => {
    resolve = resolveDelayed
  })
  const delayResponse = async (route: Route) => {
    const response = await route.fetch()
    resolve(() => route.fulfill({ response }))
  }
  await page.route('**/api/alerts/search*', delayResponse, { times: 1 })
  await refetch()
  return { respond: await pendingRespond }
}

test('notifications: filters come from the URL, Back undoes each change, and an empty state is shown when no alert matches', async ({
  context,
}) => {
  const page = await openPageAs(context, product.admin, '/notifications')
  await expect(findRows(page).first()).toBeVisible()
  // Leaves the previous page, so that its requests are not counted.
  await page.goto('about:blank')
  const searches: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/alerts/search')) searches.push(new URL(request.url()).search)
  })
  await page.goto(`${product.url}/notifications?asset=LISTA%2FUSDT&priority=critical`)
  await expect(findCountText(page)).toHaveText('1 alert')
  // The first request already has the filters of the URL.
  expect(searches.every((search) => search.includes('priority=critical') && search.includes('assets=LISTA'))).toBe(true)
  await expect(findRows(page)).toHaveCount(1)
  await expect(page.getByRole('button', { name: /Critical/, pressed: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Asset: LISTA/USDT' })).toBeVisible()

  await page.getByRole('button', { name: 'Remove filter Critical' }).click()
  await expect(page).toHaveURL(/notifications\?asset=LISTA%2FUSDT$/)
  await expect(findCountText(page)).toHaveText('2 alerts')
  await page.getByRole('searchbox', { name: 'Search alerts' }).fill('fund')
  await expect(page).toHaveURL(/q=fund/)
  await expect(findCountText(page)).toHaveText('1 alert')
  await page.goBack()
  await expect(findCountText(page)).toHaveText('2 alerts')
  await expect(page.getByRole('searchbox', { name: 'Search alerts' })).toHaveValue('')
  await page.goBack()
  await expect(findCountText(page)).toHaveText('1 alert')

  await page.getByRole('searchbox', { name: 'Search alerts' }).fill('nothing has this word')
  await expect(page.getByText('No alerts match')).toBeVisible()
  await takeScreenshots(page, 'no match')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(page).toHaveURL(/\/notifications$/)
  await expect(findRows(page).first()).toBeVisible()

  await page.goto(`${product.url}/notifications?priority=urgent&from=2026-02-30&q=42`)
  await expect(page.getByText('No alerts match').or(findRows(page).first())).toBeVisible()
  await expect(page.getByRole('searchbox', { name: 'Search alerts' })).toHaveValue('42')
})

test('notifications: rows, badges and titles update in all tabs when alerts are marked read or unread', async ({
  context,
}) => {
  const page = await openPageAs(context, product.admin, '/notifications')
  const otherTab = await context.newPage()
  await otherTab.goto(`${product.url}/history`)
  await expect(page).toHaveTitle('(3) Notifications · Tocsin')
  await expect(otherTab).toHaveTitle('(3) History · Tocsin')
  await takeScreenshots(page, 'unread')

  await page.getByRole('button', { name: /Unread.*Funding turned/s }).click()
  await expect(page.getByRole('button', { name: 'Copy alert JSON' })).toBeVisible()
  await takeScreenshots(page, 'opened')
  for (const each of [page, otherTab]) await expect(each).toHaveTitle(/^\(2\) /)
  await expect(otherTab.getByRole('link', { name: 'Notifications 2 unread' })).toBeVisible()
  await page.reload()
  await expect(page).toHaveTitle('(2) Notifications · Tocsin')
  await expect(findUnreadRows(page)).toHaveCount(2)

  const delayedResponse = await delayListResponse(page, () =>
    otherTab.evaluate(() => new BroadcastChannel('tocsin').postMessage('reads')),
  )
  await page.getByRole('button', { name: 'Mark all read' }).click()
  await expect(page.getByText('2 marked as read')).toBeVisible()
  await delayedResponse.respond()
  await expect(page).toHaveTitle('Notifications · Tocsin')
  await expect(otherTab).toHaveTitle('History · Tocsin')
  await expect(findUnreadRows(page)).toHaveCount(0)
  const undo = page.getByRole('button', { name: 'Undo' })
  await expect(undo).toBeFocused()
  // The page ignores "Undo" right after "Mark all read", because it could be the second click of a
  // double click.
  const pressUndo = async () => {
    if (await undo.isVisible()) await page.keyboard.press('Enter')
    return undo.isVisible()
  }
  await expect.poll(pressUndo).toBe(false)
  await expect(findUnreadRows(page)).toHaveCount(2)
  for (const each of [page, otherTab]) await expect(each).toHaveTitle(/^\(2\) /)
  await page.reload()
  await expect(findUnreadRows(page)).toHaveCount(2)
})

test('notifications: an alert’s chart is shown only if the signal matches the signed hash', async ({ context }) => {
  const page = await openPageAs(context, product.admin, '/notifications')
  const expectOpenAlert = () => expect(page.getByRole('button', { name: 'Copy alert JSON' })).toBeVisible()
  // Rows show the same figures at every width from 390 px.
  const row = page.locator('[data-alert-row]').filter({ hasText: 'volume to be escaped' })
  for (const width of [1440, 1024, 768, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await expect(row, `at ${width} px`).toContainText('4.1× at the alert, usually 0.8× to 1.2×')
    await expect(row.locator('path[d^="M0 "]').first(), `at ${width} px`).toBeVisible()
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: /volume to be escaped/ }).click()
  await expectOpenAlert()
  const figure = page.getByRole('figure', { name: 'LISTA/USDT, Volume spike: 4.1×' })
  await expect(figure).toContainText('Usually 0.8× to 1.2×')
  await expect(figure).toContainText('Drawn from the signal')
  await expectAccessible(page, 'an anomaly')
  await takeScreenshots(page, 'anomaly')

  await page.route('**/api/alerts/signals?*', async (route) => {
    const response = await route.fetch()
    const text = await response.text()
    await route.fulfill({ response, body: text.replaceAll('4.1', '4.2') })
  })
  await page.reload()
  await expectOpenAlert()
  await expect(page.getByText('does not match the hash in the signed alert')).toBeVisible()
  await expect(figure).toHaveCount(0)

  // Wait for running handlers, which could otherwise respond to a request that the reload aborted.
  await page.unrouteAll({ behavior: 'wait' })
  await page.route('**/api/alerts/signals?*', (route) => route.abort())
  await page.reload()
  await expectOpenAlert()
  await expect(page.getByText('Anchored').first()).toBeVisible()
  await expect(figure).toHaveCount(0)
})

test('notifications: the CSV and JSON exports contain only the selected alerts when a filter is set', async ({
  context,
}) => {
  const page = await openPageAs(context, product.admin, '/notifications')
  await page.goto(`${product.url}/notifications?asset=LISTA%2FUSDT`)
  await expect(findCountText(page)).toHaveText('2 alerts')
  const exportAlerts = async (format: string) => {
    await page.getByRole('button', { name: 'Export' }).click()
    await expect(page.getByText('2 alerts to export')).toBeVisible()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: format }).click(),
    ])
    return download
  }
  const readText = async (download: Download) => readFile(await download.path(), 'utf8')
  const json = await exportAlerts('JSON')
  expect(json.suggestedFilename()).toMatch(/^tocsin-alerts-\d{4}-\d\d-\d\d\.json$/)
  const savedAlerts: { priority: string; signature: string }[] = JSON.parse(await readText(json))
  expect(savedAlerts.map(({ priority }) => priority).sort()).toEqual(['critical', 'low'])
  const csv = await exportAlerts('CSV')
  const [, ...lines] = (await readText(csv)).trim().split('\r\n')
  expect(lines).toHaveLength(2)
  expect(lines.join()).toContain("'=cmd|volume to be escaped")
  for (const { signature } of savedAlerts) expect(lines.join()).toContain(signature)
  await page.getByRole('link', { name: 'History' }).click()
  await expect(page.getByText('2 alerts as CSV')).toBeVisible()
})

test('notifications: a sample of public alerts is shown, without new ones, when the account has no plan', async ({
  context,
}) => {
  const responseBodies: string[] = []
  context.on('response', async (response) => {
    if (response.url().includes('/api/')) responseBodies.push(await response.text().catch(() => ''))
  })
  const page = await openPageAs(context, product.trader, '/notifications')
  await expect(page.getByText('A sample: alerts older than 24 hours are public.')).toBeVisible()
  const main = page.getByRole('main')
  await expect(findRows(page).first()).toBeVisible()
  await takeScreenshots(page, 'sample')
  await expect(page).toHaveTitle('Notifications · Tocsin')
  await expectAccessible(page, 'sample')
  await expect(main.getByRole('button', { name: 'Subscribe' }), 'the header has the only one').toHaveCount(0)
  await findRows(page).first().click()
  await expect(page.getByRole('button', { name: 'Copy alert JSON' })).toBeVisible()
  await page.getByRole('searchbox', { name: 'Search alerts' }).fill(HIDDEN_WORD)
  await expect(page.getByText('No alerts match')).toBeVisible()
  expect(responseBodies.join()).not.toContain(HIDDEN_WORD)
  // Responses contain new alerts only as locked rows, whose ids must not identify the alerts.
  const listLockedIds = () => [...responseBodies.join().matchAll(/"id":"([^"]+)","locked":true/g)].map(([, id]) => id)
  await expect.poll(() => listLockedIds().length, 'bodies are read after their responses').toBeGreaterThan(0)
  for (const id of listLockedIds()) expect(id).toMatch(/^locked-\d+$/)
})

test('notifications: new alerts are only counted on a button, and rows do not move, while a row is open', async ({
  context,
}) => {
  const page = await context.newPage()
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 9, isConnected: true })
  await startSession(context, product.url, product.admin)
  await proveWallet(context, product.url, 9)
  await page.goto(`${product.url}/notifications`)
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  const row = findRows(page).nth(1)
  await row.click()
  // Wait until everything that loads with the row is shown.
  await expect(page.getByRole('main').getByText('6 of 6 checks')).toBeVisible()
  const boxBefore = await row.boundingBox()
  const signal = createSignal({ summary: 'Arrived while a row was open', priority: 'high' })
  feed.send(signal)
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible()
  expect(await row.boundingBox()).toEqual(boxBefore)
  await takeScreenshots(page, 'one new alert waiting')
  await page.getByRole('button', { name: '1 new' }).click()
  await expect(
    findAlertRegion(page).getByRole('button', { name: /^Unread.*Arrived while a row was open/s }),
  ).toBeVisible()
})

test('notifications: more than 1,000 rows scroll without layout shift, by wheel and by key, and only visible rows are rendered', async ({
  context,
}) => {
  await startSession(context, product.url, product.admin)
  const countAlerts = async () => (await context.request.get(`${product.url}/api/alerts/search?limit=1`)).json()
  const { total } = await countAlerts()
  const readLogSize = async () => (await (await fetch(`${product.url}/api/log/head`)).json()).size
  const sizeBefore = await readLogSize()
  const missingCount = MANY_ROWS - total.count
  for (let count = 0; count < missingCount; count++) feed.send(createSignal())
  // No page is open while the alerts are created, because it would render and verify each of them.
  await expect.poll(readLogSize, { timeout: 500_000 }).toBeGreaterThanOrEqual(sizeBefore + missingCount)
  const page = await openPageAs(context, product.admin, '/notifications')
  await expect(findCountText(page)).toHaveText('1,000+ alerts')
  await page.evaluate(recordFrames)
  const countLoaded = async () => {
    const summary = (await page.getByText(/Showing [\d,]+ of|All [\d,+]+ alerts shown/).textContent()) ?? ''
    return summary.startsWith('All') ? MANY_ROWS : Number(/[\d,]+/.exec(summary)?.[0].replaceAll(',', ''))
  }
  const footer = page.locator('footer').filter({ hasText: /Showing|shown/ })
  const measureBelowWindow = () =>
    footer.evaluate((element) => element.getBoundingClientRect().top - window.innerHeight)
  while ((await countLoaded()) < MANY_ROWS) {
    // The rows of the next page would move a footer that is visible. So the page must load them
    // before the next scroll step can show the footer.
    await expect.poll(measureBelowWindow).toBeGreaterThan(WHEEL_PX)
    await page.mouse.wheel(0, WHEEL_PX)
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  }
  expect(await countLoaded()).toBeGreaterThanOrEqual(MANY_ROWS)
  const { longTasks, frames, shift, moved } = await page.evaluate(() => window.frameStats)
  const slowFrameCount = frames.filter((ms) => ms > 50).length
  test.info().annotations.push({
    type: 'figures',
    description: JSON.stringify({
      loaded: await countLoaded(),
      longTasks,
      frames: frames.length,
      slow: slowFrameCount,
      worst: Math.max(...frames),
      shift,
      moved,
    }),
  })
  expect(await findRows(page).count()).toBeLessThan(120)
  expect(shift, moved.join('\n')).toBeLessThan(0.01)
  await takeScreenshots(page, 'scrolled down')

  await findRows(page).nth(30).focus()
  const start = Number(await page.locator('article:has([data-alert-row]:focus)').getAttribute('aria-posinset'))
  const findRow = (position: number) => page.locator(`article[aria-posinset="${position}"] [data-alert-row]`)
  // Rows are rendered in the frame after the list scrolls. A key has no effect before the next row
  // is rendered.
  const moveFocus = async (key: string, targetPosition: number) => {
    await expect(findRow(targetPosition)).toBeAttached()
    await page.keyboard.press(key)
    await expect(findRow(targetPosition)).toBeFocused()
  }
  for (let position = start + 1; position <= start + 20; position++) await moveFocus('ArrowDown', position)
  for (let position = start + 19; position >= start; position--) await moveFocus('ArrowUp', position)
  // "j" moves to the row after the focused one, even if the list was scrolled away from it.
  await page.mouse.wheel(0, -20 * WHEEL_PX)
  await expect(findRow(start)).not.toBeInViewport()
  await page.keyboard.press('j')
  await expect(findRow(start + 1)).toBeFocused()
  // Without a focused row, "j" begins at the first row in view, not at one rendered above it.
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    window.scrollBy(0, -16_000)
  })
  const readPositionsInView = () =>
    page.evaluate(() => {
      const rows = [...document.querySelectorAll('article')]
      // After a jump, rows of the old position stay in the DOM until the list renders again.
      const isInView = ({ top, bottom }: DOMRect) => bottom > 0 && top < window.innerHeight
      const first = rows.find((row) => isInView(row.getBoundingClientRect()))
      const tabStop = rows.find((row) => row.matches('[data-tab-stop]'))
      return [first, tabStop].map((row) => Number(row?.getAttribute('aria-posinset')))
    })
  await expect.poll(async () => new Set(await readPositionsInView()).size, 'the tab stop is in view').toBe(1)
  const [inView = 0] = await readPositionsInView()
  await page.keyboard.press('j')
  await expect(findRow(inView)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(findRow(inView)).toHaveAttribute('aria-expanded', 'true')
})

declare global {
  interface Window {
    frameStats: { longTasks: number[]; frames: number[]; shift: number; moved: string[] }
  }
}

/** Fields of a layout shift entry that TypeScript's library does not declare yet. */
interface LayoutShift extends PerformanceEntry {
  value: number
  hadRecentInput: boolean
  sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[]
}

/**
 * Runs in the page. Records long tasks and frame times in ms, and layout shifts that are not caused
 * by user input.
 */
function recordFrames() {
  const frameStats: Window['frameStats'] = { longTasks: [], frames: [], shift: 0, moved: [] }
  window.frameStats = frameStats
  new PerformanceObserver((list) =>
    frameStats.longTasks.push(...list.getEntries().map(({ duration }) => duration)),
  ).observe({
    type: 'longtask',
  })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as LayoutShift[]) {
      if (entry.hadRecentInput) continue
      frameStats.shift += entry.value
      for (const { node, previousRect, currentRect } of entry.sources) {
        const [boxBefore, boxAfter] = [previousRect, currentRect].map(({ y, height }) => `${y} (${height} high)`)
        frameStats.moved.push(`${node?.nodeName} ${node?.textContent?.slice(0, 80)}: from ${boxBefore} to ${boxAfter}`)
      }
    }
  }).observe({ type: 'layout-shift' })
  let last = performance.now()
  const tick = (now: number) => {
    frameStats.frames.push(now - last)
    last = now
    requestAnimationFrame(tick)
  }
  requestAnimationFrame(tick)
}

/** Returns a page whose scripts load only after `release` is called. `open` loads the dashboard. */
async function openWithoutScripts(context: BrowserContext, credentials: { email: string; password: string }) {
  const page = await context.newPage()
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 9, isConnected: true })
  await startSession(context, product.url, credentials)
  const release = await holdRequests(page, '**/assets/react-*.js')
  const searches: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/alerts/search')) searches.push(new URL(request.url()).search)
  })
  const open = async () => {
    const searchResponse = page.waitForResponse('**/api/alerts/search*')
    await page.goto(`${product.url}/dashboard`, { waitUntil: 'commit' })
    await (await searchResponse).finished()
  }
  return { page, searches, open, release }
}

const findLoadingAlerts = (page: Page) => page.getByLabel('Loading alerts')
const findFirstRows = (page: Page) => page.locator('[data-first-rows] [data-field="summary"]')

test('dashboard: the newest alerts are shown before the scripts load, and the list sends no second request for them', async ({
  context,
}) => {
  const { page, searches, open, release } = await openWithoutScripts(context, product.admin)
  await open()
  await expect(findFirstRows(page)).toHaveCount(10)
  const shownTexts = await findFirstRows(page).allTextContents()
  release()
  await expect(findFirstRows(page)).toHaveCount(0)
  await expect(findRows(page).first()).toBeVisible()
  for (const [index, summary] of shownTexts.entries()) await expect(findRows(page).nth(index)).toContainText(summary)
  expect(searches.filter((search) => search === '?limit=100')).toHaveLength(1)
})

for (const [width, timeZone] of [
  [390, 'browser'],
  [800, 'Asia/Tokyo'],
  [1100, 'browser'],
  [1440, 'browser'],
] as const)
  test(`dashboard: in the ${timeZone} time zone, the first rows keep position and line breaks at ${width} px when the scripts have loaded`, async ({
    context,
  }) => {
    await saveTimeZone(context, timeZone)
    const { page, open, release } = await openWithoutScripts(context, product.admin)
    await page.route('**/api/alerts/search*', async (route) => {
      const response = await route.fetch()
      const json = await response.json()
      const midnightMs = getLastMidnight(timeZone)
      for (const [index, { alert }] of json.items.entries())
        alert.createdAt = new Date(midnightMs + (index < 2 ? 1 : -1)).toISOString()
      await route.fulfill({ response, json })
    })
    await proveWallet(context, product.url, 9)
    await page.setViewportSize({ width, height: 900 })
    await open()
    await expect(findFirstRows(page)).toHaveCount(10)
    await expect(page.locator('html[data-priced]'), 'there is space for the column of prices').toHaveCount(1)
    const boxesBefore = await readBoxes(findFirstRows(page))
    release()
    await expect(findFirstRows(page)).toHaveCount(0)
    const summaries = findRows(page).locator('[data-field="summary"]')
    await expect.poll(async () => (await readBoxes(summaries)).slice(0, 5)).toEqual(boxesBefore.slice(0, 5))
    await page.unrouteAll({ behavior: 'wait' })
  })

/** Sets the time zone of the admin. Opens the dashboard, so that the browser remembers it. */
async function saveTimeZone(context: BrowserContext, timeZone: string) {
  const page = await openPageAs(context, product.admin, '/dashboard')
  const headers = { origin: product.url }
  const saved = await context.request.put(`${product.url}/api/settings/preferences`, { headers, data: { timeZone } })
  expect(saved.ok()).toBe(true)
  await page.reload()
  await expect.poll(() => page.evaluate(() => localStorage.getItem('userTimes'))).toContain(timeZone)
  // Set the flag that a page stores when a row has a price.
  await page.evaluate(() => localStorage.setItem('priced', ''))
  await page.close()
}

/** Returns a midnight of the time zone within the last two days, in ms since the epoch. */
function getLastMidnight(timeZone: 'browser' | 'Asia/Tokyo'): number {
  if (timeZone === 'browser') return new Date().setHours(0, 0, 0, 0)
  return Date.parse(`${new Date().toISOString().slice(0, 10)}T00:00:00+09:00`)
}

/** Positions and sizes of the texts, in whole px. */
const readBoxes = (texts: Locator) =>
  texts.evaluateAll((elements) =>
    elements.map((element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      const { x, y, width, height } = range.getBoundingClientRect()
      return [x, y, width, height].map(Math.round)
    }),
  )

test('dashboard: no alert is shown before the scripts load if one is locked or retracted or the request fails', async ({
  context,
}) => {
  const { page, open } = await openWithoutScripts(context, product.admin)
  const changes: [string, (alert: Record<string, unknown>) => void][] = [
    ['locked', (alert) => Object.assign(alert, { locked: true })],
    ['superseded', (alert) => Object.assign(alert, { supersededBy: { logIndex: 1, kind: 'retraction' } })],
    ['a retraction', (alert) => Object.assign(alert, { kind: 'retraction' })],
  ]
  for (const [caseName, change] of changes) {
    await page.route('**/api/alerts/search*', async (route) => {
      const response = await route.fetch()
      const json = await response.json()
      change(json.items[3].alert)
      await route.fulfill({ response, json })
    })
    await open()
    await expect(findLoadingAlerts(page), caseName).toBeVisible()
    await expect(findFirstRows(page), caseName).toHaveCount(0)
    await page.unroute('**/api/alerts/search*')
  }
  await page.route('**/api/alerts/search*', (route) => route.fulfill({ status: 500, body: 'no' }))
  await open()
  await expect(findLoadingAlerts(page)).toBeVisible()
  await expect(findFirstRows(page)).toHaveCount(0)
})

test('dashboard: lists its alerts after a new login when the session had ended before the page was opened', async ({
  context,
}) => {
  const { page, open, release } = await openWithoutScripts(context, product.admin)
  release()
  await open()
  await expect(findRows(page).first()).toBeVisible()
  await context.clearCookies()
  await page.goto(`${product.url}/dashboard`)
  await logIn(page, product.admin)
  await expect(page).toHaveURL(/\/dashboard/)
  const failure = page.getByText('Failed to fetch alerts')
  await expect(findRows(page).first().or(failure)).toBeVisible()
  await expect(failure).toHaveCount(0)
})

test('history: groups entries by day, shows the end of the list and keeps the selected group in the URL', async ({
  context,
}) => {
  await waitPastMidnight(60_000)
  const page = await openPageAs(context, product.trader, '/history')
  await expect(page.getByRole('rowheader', { name: 'Today' })).toBeVisible()
  await expect(page.getByText(/, all loaded$/)).toBeVisible()
  await takeScreenshots(page, 'history')
  await expectAccessible(page, 'history')
  await page.getByRole('button', { name: 'Sign-ins' }).click()
  await expect(page).toHaveURL(/\/history\?group=sign-ins$/)
  await expect(page.getByRole('cell', { name: 'Signed in' }).first()).toBeVisible()
  await page.getByRole('button', { name: 'Subscriptions' }).click()
  await expect(page.getByText('No activity in this category')).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('button', { name: 'Sign-ins', pressed: true })).toBeVisible()
})
