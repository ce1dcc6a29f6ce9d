import { type BrowserContext, expect, type Page } from '@playwright/test'
import { createTestClient } from '@tocsin/testkit'
import { listPictures } from './accessibility-tree.ts'
import { test } from './browser-test.ts'
import { expectLayout } from './expect-layout.ts'
import { holdRequests } from './hold-requests.ts'
import { startProductWithEngine } from './product.ts'
import { installWallet } from './scripted-wallet.ts'
import { startSession } from './session.ts'
import { useProduct } from './use-product.ts'

// Tests of pages with alert lists: filters before the server has responded, layout, opened alerts.

const product = useProduct(startProductWithEngine)

const findRows = (page: Page) => page.getByRole('main').locator('[data-alert-row]')
const findBusyList = (page: Page, isBusy: boolean) =>
  page.locator(`[aria-busy=${isBusy}]`).filter({ has: page.locator('[data-alert-row]') })

for (const path of ['/notifications', '/dashboard']) {
  test(`filter: the loaded rows that match are shown on ${path} while the server does not respond`, async ({
    page,
    context,
  }) => {
    await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 9, isConnected: true })
    await startSession(context, product.url, product.admin)
    // The demo's alerts are random, so create one alert that matches the filter and one that does
    // not.
    const newestIds = [await postAlert(context, 'Matches'), await postAlert(context, 'Does not match', 'high')]
    await page.goto(product.url + path)
    for (const id of newestIds) await expect(page.locator(`[data-alert-row="${id}"]`)).toBeVisible()
    const chip = page.getByRole('search').getByRole('button', { name: /^Low/ })
    await page.evaluate(countSelectionReads)
    const requestedPaths: string[] = []
    page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname))
    const release = await holdRequests(page, '**/api/alerts/search*')

    await chip.focus()
    await page.keyboard.press('Enter')
    await expect(chip).toHaveAttribute('aria-pressed', 'true')
    await expect(findRows(page).filter({ hasNotText: 'Low' })).toHaveCount(0)
    await expect(findRows(page).first()).toBeVisible()
    await expect(findBusyList(page, true)).toHaveCSS('opacity', '1')

    release()
    await expect(findBusyList(page, false)).toBeVisible()
    await expect(findRows(page).filter({ hasNotText: 'Low' })).toHaveCount(0)
    expect(requestedPaths.filter((each) => each.startsWith('/api/alerts/user/'))).toEqual([])
    const selectionReads = await page.evaluate(() => Reflect.get(window, 'selectionReads'))
    expect(selectionReads, 'to read the selection is to lay out the page').toBe(0)
  })
}

test('layout at 1024 px: a three-line summary does not touch the row border, and filters fit on one line', async ({
  page,
  context,
}) => {
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 9, isConnected: true })
  await startSession(context, product.url, product.admin)
  const summary = 'Depth within 1 % fell on every venue while the spread widened, '.repeat(3).trim()
  const content = { asset: 'ETH/USDT', anomalyType: 'Volume spike', confidence: 97.3, priority: 'low', summary }
  const headers = { origin: product.url }
  const createResponse = await context.request.post(`${product.url}/api/alerts`, { data: content, headers })
  expect(createResponse.status()).toBe(201)

  await page.setViewportSize({ width: 1024, height: 768 })
  await page.goto(`${product.url}/dashboard`)
  const text = findRows(page).getByTitle(summary)
  const measureSpaceBelow = () =>
    text.evaluate((element) => {
      const row = element.closest('[data-alert-row]')?.parentElement
      return (row?.getBoundingClientRect().bottom ?? 0) - element.getBoundingClientRect().bottom
    })
  for (const width of [1024, 1440]) {
    await page.setViewportSize({ width, height: 768 })
    await expect.poll(measureSpaceBelow, `space under the summary at ${width} px`).toBeGreaterThanOrEqual(2)
  }

  await page.setViewportSize({ width: 1024, height: 768 })
  await page.goto(`${product.url}/notifications`)
  const chips = page.getByRole('group', { name: 'Priority' }).getByRole('button')
  await expect(chips.last()).toBeVisible()
  const countLines = () => chips.evaluateAll((all) => new Set(all.map((chip) => chip.getBoundingClientRect().top)).size)
  await expect.poll(countLines).toBe(1)
})

test('dashboard with a plan: the status line does not overflow at any width, and laptops show no clipped text', async ({
  page,
  context,
}) => {
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 9, isConnected: true })
  await startSession(context, product.url, product.admin)
  const { user } = await (await context.request.get(`${product.url}/api/auth/user`)).json()
  const grantResponse = await context.request.post(`${product.url}/api/admin/users/${user.id}/grant-plan`, {
    ...{ headers: { origin: product.url }, data: { planType: '3d', reason: 'Its status line is the longest' } },
  })
  expect(grantResponse.status()).toBe(200)
  await page.goto(`${product.url}/dashboard`)
  const line = page.getByRole('region', { name: 'Status', exact: true })
  await expect(line.getByText(/came true/)).toBeVisible()
  for (const width of [1440, 1280, 1024, 768, 390]) {
    await page.setViewportSize({ width, height: 900 })
    const measureOverflow = () => line.evaluate((element) => element.scrollWidth - element.clientWidth)
    await expect.poll(measureOverflow, `${width} px`).toBe(0)
    await expect(line.getByRole('button', { name: 'Details' })).toBeInViewport({ ratio: 1 })
  }

  await page.setViewportSize({ width: 1440, height: 900 })
  await findRows(page).filter({ hasText: 'since then' }).first().click()
  const detail = page.getByRole('complementary', { name: 'Selected alert' })
  await expect(detail.getByText('Since issue')).toBeVisible()
  await expect(detail.locator('canvas').first()).toBeVisible()
  await expectLayout(page, 'the dashboard with an open alert')
})

test('charts: have an accessible name that contains their figures on the track record, alert and asset pages', async ({
  page,
  context,
}) => {
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 9, isConnected: true })
  await startSession(context, product.url, product.admin)
  const alerts = await createTestClient(product.url).call('publicAlerts', { query: { limit: 100 } })
  // Void outcomes and outcomes of the spread metric may have no candles.
  const alertWithCandles = alerts.find(
    ({ outcome, prediction }) => outcome && outcome.verdict !== 'void' && prediction?.metric !== 'spread',
  )
  // Add a bin to the reliability diagram, because the demo has too few outcomes for one.
  await page.route('**/api/track-record?*', async (route) => {
    const response = await route.fetch()
    const { record } = await response.json()
    const bins = [{ from: 40, n: 1_500, shown: 0.45, cameTrue: 0.432, chanceBand: [0.4, 0.5] }]
    await route.fulfill({ response, json: { record: { ...record, calibration: { ...record.calibration, bins } } } })
  })
  for (const [path, ...charts] of [
    [
      '/track-record',
      /^[\d.]+%, 95% interval [\d.]+% to [\d.]+%, at random minutes [\d.]+%$/,
      /^Reliability of [\d,]+ predictions by confidence\. 40 to 50%: predicted 45\.0%, came true 43\.2%, n 1,500\.$/,
    ],
    [
      `/a/${alertWithCandles?.logIndex}`,
      /one-minute candles of .* Since then: high [\d.,]+, low [\d.,]+, last close [\d.,]+/,
    ],
    ['/assets/BTC-USDT', /one-minute candles of the last 6 hours\. High [\d.,]+, low [\d.,]+, last close [\d.,]+/],
  ] as const) {
    await page.goto(product.url + path)
    const listNames = () => listPictures(page.locator('body'))
    for (const chart of charts) await expect.poll(listNames, path).toContainEqual(expect.stringMatching(chart))
    const names = (await listNames()).filter((name) => !nonFigureNames.test(name))
    expect(names, `names of the pictures on ${path}`).toEqual(names.map(() => expect.stringMatching(/\d/)))
  }
  await expectLayout(page, 'the page of an asset')
})

/** Names of pictures without figures: the logo, and the seal that shows the state of a proof. */
const nonFigureNames = /^(Tocsin|Proof: .+)$/

for (const [path, search] of [
  ['/notifications', '?priority=low'],
  ['/assets/ETH-USDT', ''],
] as const) {
  test(`an alert opened on ${path}: has its URL, is open after a reload, and Back closes it and keeps the filters`, async ({
    page,
    context,
  }) => {
    const [olderId, newerId] = [await createAlert(context, 'Older'), await createAlert(context, 'Newer')]
    await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 9, isConnected: true })
    await startSession(context, product.url, product.admin)
    await page.goto(`${product.url}${path}${search}`)
    const listUrl = page.url()
    const findRow = (id: string) => page.locator(`[data-alert-row="${id}"]`)
    await findRow(olderId).click()
    await expect(page).toHaveURL(createOpenAlertMatcher(listUrl, (id) => id === olderId))
    await page.reload()
    await expect(findRow(olderId)).toHaveAttribute('aria-expanded', 'true')

    await findRow(newerId).click()
    await expect(findRow(newerId)).toHaveAttribute('aria-expanded', 'true')
    await expect(findRow(olderId)).toHaveAttribute('aria-expanded', 'false')
    await page.goBack()
    await expect(page).toHaveURL(listUrl)
    await expect(findRow(newerId)).toHaveAttribute('aria-expanded', 'false')
    await findRow(olderId).click()
    await expect(findRow(olderId)).toHaveAttribute('aria-expanded', 'true')
    // Wait until the detail is loaded. While it loads, the page scrolls, and the mouse could be
    // pressed on one element and released on another.
    await expect(page.getByRole('main').getByText('6 of 6 checks')).toBeVisible()
    await findRow(olderId).click()
    await expect(page).toHaveURL(listUrl)
  })
}

for (const path of ['/notifications', '/dashboard']) {
  test(`related alerts on ${path}: open without changing the filters, and closing one leaves no alert open`, async ({
    page,
    context,
  }) => {
    const ids = [await createAlert(context, 'First'), await createAlert(context, 'Second')]
    await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 9, isConnected: true })
    await startSession(context, product.url, product.admin)
    const listUrl = `${product.url}${path}?priority=low`
    await page.goto(listUrl)
    await page.locator(`[data-alert-row="${ids[0]}"]`).click()
    // Find the link by its address, because the detail still shows the previous alert until it is
    // rendered again.
    const relatedLink = page.getByRole('region', { name: 'Related, ETH/USDT' }).locator(`a[href$="alert=${ids[1]}"]`)
    // Use the keyboard, because parts of the detail that load later move the link away from the
    // pointer.
    const pulse = page.getByRole('listbox', { name: /^Alerts of the last/ })
    await expect(pulse.getByRole('option').last()).toBeAttached()
    await pulse.press('End')
    await pulse.press('Enter')
    await expect(page, 'from the pulse line').toHaveURL(createOpenAlertMatcher(listUrl, (id) => id !== ids[0]))
    await page.locator(`[data-alert-row="${ids[0]}"]`).click()
    await relatedLink.press('Enter')
    await expect(page).toHaveURL(createOpenAlertMatcher(listUrl, (id) => id === ids[1]))
    if (path === '/dashboard') await page.getByRole('button', { name: 'Close' }).click()
    else await page.locator(`[data-alert-row="${ids[1]}"]`).click()
    await expect(page).toHaveURL(listUrl)
  })
}

test('proof of an opened alert: cannot be checked while the node is down, and is checked again on request', async ({
  page,
  context,
}) => {
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 9, isConnected: true })
  await startSession(context, product.url, product.admin)
  const { items } = await (await context.request.get(`${product.url}/api/alerts/search?limit=100`)).json()
  const { id } = items.find(({ alert }: { alert: { avalancheTx: string | null } }) => alert.avalancheTx !== null)
  await page.route(`${product.url}/dev/chain`, (route) => route.abort())
  await page.goto(`${product.url}/dashboard?alert=${id}`)
  const detail = page.getByRole('complementary', { name: 'Selected alert' })
  await expect(detail.getByText('Cannot check now')).toHaveCount(2)
  // The node answers only after the click. Otherwise the check that the page repeats every 30
  // seconds could succeed first and remove the button.
  const release = await holdRequests(page, `${product.url}/dev/chain`)
  await detail.getByRole('button', { name: 'Check again' }).click()
  release()
  await expect(detail.getByText('in this browser, 6 of 6 checks')).toBeVisible()
})

test('trader without a plan: sees the first alert without scrolling at a zoom of 200 %, and local times', async ({
  browser,
}) => {
  const page = await (await browser.newContext({ timezoneId: 'Asia/Tokyo' })).newPage()
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 9, isConnected: true })
  await startSession(page.context(), product.url, product.trader)
  // The viewports of a window of 1280 x 900 at a zoom of 200 %, and of a phone.
  for (const [width, height, rowPx] of [
    [640, 450, 84],
    [390, 844, 112],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.goto(`${product.url}/dashboard`)
    await expect(page.getByText('This wallet is connected but not verified yet.')).toBeVisible()
    await expect(page.getByText('A sample: alerts older than 24 hours are public.')).toBeVisible()
    const bottomBar = 64
    const readTop = async () => (await findRows(page).first().boundingBox())?.y
    await expect.poll(readTop, `first alert at ${width} x ${height}`).toBeLessThan(height - bottomBar - rowPx)
  }

  await page.getByRole('button', { name: 'Select Plan: 6 hours, 10 ITO' }).click()
  await expect(page.getByRole('dialog')).toContainText(
    /Access ends \d\d \w{3} \d\d:\d\d:\d\d GMT\+9 and does not renew/,
  )
})

test('times: rows show local time from the first render, never UTC', async ({ browser }) => {
  const page = await (await browser.newContext({ timezoneId: 'Asia/Tokyo' })).newPage()
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 9, isConnected: true })
  await startSession(page.context(), product.url, product.admin)
  await page.addInitScript(recordClocks)
  await page.goto(`${product.url}/dashboard`)
  await expect(page.getByRole('main').getByText('GMT+9').first()).toBeVisible()
  const shownClocks: string[] = await page.evaluate(() => Reflect.get(window, 'shownClocks'))
  expect(shownClocks.length).toBeGreaterThan(0)
  for (const text of shownClocks) {
    const [at = '', clock] = text.split(' ')
    const tokyoTime = new Date(Date.parse(at) + 9 * 3_600_000).toISOString()
    expect(clock, text).toBe(tokyoTime.slice(11, 19))
  }
})

/** Records in the page each clock time that a row of a list shows: its ISO time and the text. */
function recordClocks(): void {
  const shownClocks = new Set<string>()
  Reflect.defineProperty(window, 'shownClocks', { get: () => [...shownClocks] })
  new MutationObserver(() => {
    for (const time of document.querySelectorAll<HTMLTimeElement>('[data-alert-row] time')) {
      const clock = /\d\d:\d\d:\d\d/.exec(time.textContent)?.[0]
      if (clock) shownClocks.add(`${time.dateTime} ${clock}`)
    }
  }).observe(document, { subtree: true, childList: true, characterData: true })
}

/**
 * Returns a predicate for `toHaveURL` that accepts the URL of the list with the id of a matching
 * alert as its additional parameter `alert`.
 */
const createOpenAlertMatcher = (listUrl: string, matches: (id: string) => boolean) => (url: URL) => {
  const list = new URL(url)
  const id = list.searchParams.get('alert')
  list.searchParams.delete('alert')
  return id !== null && matches(id) && list.href === listUrl
}

/** Signs in as the admin, creates an alert and returns its id. */
async function createAlert(context: BrowserContext, summary: string): Promise<string> {
  await startSession(context, product.url, product.admin)
  return postAlert(context, summary)
}

/** Creates an alert and returns its id. The context needs the session of an admin. */
async function postAlert(context: BrowserContext, summary: string, priority: 'low' | 'high' = 'low'): Promise<string> {
  const data = { asset: 'ETH/USDT', anomalyType: 'Volume spike', confidence: 97.3, priority, summary }
  const postResponse = await context.request.post(`${product.url}/api/alerts`, {
    data,
    headers: { origin: product.url },
  })
  expect(postResponse.status()).toBe(201)
  return (await postResponse.json()).alert.id
}

/** Runs in the page. Counts how often the page reads whether text is selected. */
function countSelectionReads(): void {
  Reflect.set(window, 'selectionReads', 0)
  const { get } = Object.getOwnPropertyDescriptor(Selection.prototype, 'isCollapsed') ?? {}
  Object.defineProperty(Selection.prototype, 'isCollapsed', {
    get() {
      Reflect.set(window, 'selectionReads', Reflect.get(window, 'selectionReads') + 1)
      return get?.call(this)
    },
  })
}
