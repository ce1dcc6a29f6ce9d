import { type Browser, type BrowserContextOptions, expect, type Page, type WebSocketRoute } from '@playwright/test'
import { listPictures } from './accessibility-tree.ts'
import { displayModes, expectAccessible } from './accessible.ts'
import { advanceClock } from './advance-clock.ts'
import { test } from './browser-test.ts'
import { closeByEscape } from './close-dialog.ts'
import { startProductWithEngine } from './product.ts'
import { installWallet } from './scripted-wallet.ts'
import { proveWallet, startSession } from './session.ts'
import { waitUntilAnchored } from './shop.ts'
import { expectToastIn, recordToasts } from './toasts.ts'
import { useProduct } from './use-product.ts'
import { waitPastMidnight } from './wait-past-midnight.ts'
import { watchLiveRead } from './watch-live-read.ts'

const product = useProduct(startProductWithEngine)
/** Session of the admin, who receives the live stream without a plan and creates the alerts. */
let adminCookie: string

test.beforeAll(async () => {
  const session = await postAsAdmin('/api/auth/login', product.admin)
  adminCookie = session.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  await stopFeed()
})
test.afterEach(async () => {
  await sendAdminRequest('PUT', '/api/settings/preferences', defaults)
})

const defaults = {
  realTimeAlerts: true,
  autoVerify: true,
  highPriorityOnly: false,
  browserNotifications: false,
  sound: false,
  soundFrom: 'high',
  soundVolume: 60,
  shortcuts: true,
  density: 'comfortable',
  timeZone: 'UTC',
  hourCycle: '24',
  watchlist: [] as string[],
}
/** A summary of the maximum length that the engine produces. */
const longestSummary =
  'Price fell 12.34% in 15 min on 5.1× usual volume; 7.1× its usual move; largest since records began; 71% of volume bought by takers'
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

test('alert toasts: desktop and phone show at most three and count the rest when alerts arrive in a burst', async ({
  browser,
}) => {
  const [desktop, mobile] = await Promise.all([openDashboard(browser), openDashboard(browser, phone)])
  const toasts = getToasts(desktop)
  for (const page of [desktop, mobile]) await openHistory(page)
  for (const at of [1, 2, 3]) await createAlert(`Burst ${at}`, 'medium')
  await expect(toasts.getByRole('listitem')).toHaveCount(3)
  await toasts.hover()
  await toasts.blur()
  await createAlert('Burst 4', 'critical')
  await expect(toasts.getByText('+1 more in the list')).toBeVisible()
  await expect(toasts.getByRole('listitem')).toHaveCount(3)
  await expect(toasts.getByText('Burst 4')).toBeVisible()
  await expect(getToasts(mobile).getByText('Burst 4')).toBeVisible()
  await expect(getToasts(mobile).getByText(/\+\d more in the list/)).toBeVisible()
  await expect(getRegion(desktop, 'assertive')).toHaveText(/^Critical alert: ETH\/USDT, Volume spike/)
  await expect(getRegion(desktop, 'polite')).toHaveText(/new alerts?/)

  // Toasts stay while the pointer is over them, and for eight seconds after it leaves.
  await getToasts(mobile).blur()
  await expect(getToasts(mobile).getByRole('listitem')).toHaveCount(0)
  await expect(toasts.getByRole('listitem')).toHaveCount(3)
  await expectAccessible(desktop, 'the history with toasts')
  await desktop.mouse.move(300, 850)
  await expect(toasts.getByRole('listitem')).toHaveCount(0)

  for (const page of [desktop, mobile]) {
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await expect(getRow(page, 'Burst 4')).toBeVisible()
  }
  await mobile.getByRole('button', { name: /Burst 4/ }).tap()
  await expect(mobile.getByRole('link', { name: 'Check proof' }).first()).toBeVisible()
})

test('live list: new alerts are counted but not inserted while the pointer is over the list, the list is paused or a row is open', async ({
  browser,
}) => {
  const page = await openDashboard(browser)
  await createAlert('First', 'low')
  const topAlertRow = findTopRow(page)
  await expect(topAlertRow).toContainText('First')
  await topAlertRow.hover()
  await createAlert('Second', 'low')
  await createAlert('Third', 'low')
  await expect(page.getByRole('button', { name: '2 new' })).toBeVisible()
  await expect(topAlertRow).toContainText('First')
  await page.mouse.move(300, 10)
  await expect(topAlertRow).toContainText('Third')

  await page.keyboard.press('p')
  await expect(page.getByRole('button', { name: 'Resume' })).toBeVisible()
  await createAlert('Fourth', 'low')
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible()
  await expect(topAlertRow).toContainText('Third')
  await expectAccessible(page, 'a paused dashboard')
  await page.keyboard.press('.')
  await expect(topAlertRow).toContainText('Fourth')
  await expect(page.getByRole('button', { name: 'Resume' })).toBeVisible()
  await page.getByRole('button', { name: 'Resume' }).click()

  await page.keyboard.press('j')
  await expect(page.getByRole('button', { name: /Fourth/ })).toBeFocused()
  await page.keyboard.press('Enter')
  await createAlert('Fifth', 'low')
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible()
  await expect(topAlertRow).toContainText('Fourth')
  await expect(getToasts(page).getByRole('listitem'), 'the list shows or counts all of them').toHaveCount(0)
})

test('dashboard: shows the first alert without scrolling at every screen size, and twenty rows when compact', async ({
  browser,
}) => {
  const page = await openDashboard(browser)
  const lowestTop = { besideTheDetail: 200, onTablet: 1024 - 64 - 64, onPhone: 844 - 64 - 112, zoomed: 450 - 64 - 64 }
  for (const [width, height, below] of [
    [1536, 864, lowestTop.besideTheDetail],
    [1440, 900, lowestTop.besideTheDetail],
    [1366, 768, lowestTop.besideTheDetail],
    [1280, 800, lowestTop.besideTheDetail],
    [1024, 768, lowestTop.besideTheDetail],
    [768, 1024, lowestTop.onTablet],
    [390, 844, lowestTop.onPhone],
    // A window of 1440 x 900 at a zoom of 200 %.
    [720, 450, lowestTop.zoomed],
  ] as const) {
    await page.setViewportSize({ width, height })
    const readTop = async () => (await findTopRow(page).boundingBox())?.y
    await expect.poll(readTop, `first alert at ${width} x ${height}`).toBeLessThan(below)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await createAlert(longestSummary, 'low')
  const summary = findTopRow(page).getByText(longestSummary)
  for (const viewport of [{ width: 1280, height: 800 }, phone.viewport, { width: 1440, height: 900 }]) {
    await page.setViewportSize(viewport)
    await expect.poll(() => summary.evaluate(countLines), `summary at ${viewport.width} px`).toEqual([2, 2])
  }
  const type = findTopRow(page).getByText('Volume spike', { exact: true })
  const isTextCut = () => type.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  // Change `data-priced` and measure in one task, because the page sets this attribute itself as
  // soon as it renders a price.
  const priceColumnWidths = await findTopRow(page).evaluate((row) => {
    const root = document.documentElement
    const readPriceColumnWidth = () => getComputedStyle(row).gridTemplateColumns.split(' ')[4]
    root.removeAttribute('data-priced')
    const without = readPriceColumnWidth()
    root.setAttribute('data-priced', '')
    return [without, readPriceColumnWidth()]
  })
  expect(priceColumnWidths, 'width of the column of prices without and with prices').toEqual(['0px', '80px'])
  for (const [width, height] of [
    [1024, 768],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height })
    await expect.poll(isTextCut, `the type of an alert at ${width} px is cut off`).toBe(false)
  }
  await page.getByRole('radio', { name: 'Compact' }).click()
  await expect.poll(readSavedDensity).toBe('compact')
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('radio', { name: 'Comfortable' }), 'the arrow keys go round').toBeChecked()
  await expect(page.getByRole('radio', { name: 'Comfortable' })).toBeFocused()
  await expect.poll(readSavedDensity).toBe('comfortable')
  await page.keyboard.press('ArrowLeft')
  await expect.poll(readSavedDensity).toBe('compact')
  await page.reload()
  const rows = page.locator('[data-alert-row]')
  const countVisibleRows = () =>
    rows.evaluateAll((all) => all.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length)
  await expect.poll(countVisibleRows, 'the density is remembered').toBeGreaterThanOrEqual(20)
})

test('dashboard: rows show the sparkline of their series at every width from 390 px', async ({ browser }) => {
  const page = await openDashboard(browser)
  // Filter by BTC/USDT: all alerts about this asset are from the engine, and only alerts from the
  // engine have a series.
  await page.goto(`${product.url}/dashboard?asset=BTC%2FUSDT`)
  const row = page.locator('[data-alert-row]').filter({ hasText: 'at the alert, usually' }).first()
  for (const density of ['Comfortable', 'Compact']) {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('radio', { name: density }).click()
    await expect.poll(readSavedDensity).toBe(density.toLowerCase())
    for (const width of [1536, 1440, 1366, 1280, 1024, 768, 390]) {
      await page.setViewportSize({ width, height: 900 })
      const line = row.locator('path[d^="M0 "]').last()
      await expect(line, `${density} rows at ${width} px`).toBeVisible()
      const readLineWidthPx = async () => (await line.boundingBox())?.width
      await expect.poll(readLineWidthPx, `${density} rows at ${width} px`).toBeGreaterThan(20)
    }
  }
})

test('dashboard: opens alerts by keyboard and URL, and Back closes them', async ({ browser }) => {
  const page = await openDashboard(browser)
  // Record requests from now on. The page reports the verification of an alert only once, possibly
  // when the detail shows the alert before it is opened.
  const reports: string[] = []
  page.on('request', (request) => reports.push(request.postData() ?? ''))
  // Move the pointer away: while it is over the detail, the detail keeps its alert.
  await page.mouse.move(300, 10)
  await createAlert('Opened by keyboard', 'low')
  const detail = page.getByRole('complementary', { name: 'Selected alert' })
  await expect(detail, 'the newest alert is shown until one is opened').toContainText('Opened by keyboard')
  const newerAlert = await createAlert('Newer', 'low')
  await expect(detail).toContainText('Newer')
  for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key)
  await expect(page).toHaveURL(/\/dashboard\?alert=/)
  await expect(detail).toContainText('Opened by keyboard')
  await expect(detail.getByRole('heading', { level: 2 })).toHaveAccessibleName(/^Low ETH\/USDT Volume spike/)
  const article = page.getByRole('feed', { name: 'Alerts, newest first' }).getByRole('article').nth(1)
  await expect(article).toHaveAccessibleName('Low, ETH/USDT, Volume spike')
  await expect(article).toHaveAttribute('aria-posinset', '2')
  await expect(article).toHaveAttribute('aria-setsize', /^(-1|\d+)$/)
  await expect(page.locator('[data-alert-row][aria-current]')).toContainText('Opened by keyboard')
  for (const key of ['k', 'Enter']) await page.keyboard.press(key)
  await expect(detail).toContainText('Newer')
  await expect(detail.getByText('in this browser, 6 of 6 checks')).toBeVisible()
  const isReported = () => reports.some((body) => body.includes('"verified":true') && body.includes(newerAlert))
  await expect.poll(isReported).toBe(true)
  await expect(detail.getByText('Verified', { exact: true })).toHaveCount(2)
  const url = page.url()
  await page.goBack()
  await expect(page).toHaveURL(/\/dashboard$/)
  await page.keyboard.press('/')
  await page.keyboard.type('Opened')
  await expect(page).toHaveURL(/q=Opened/)
  await expect(findTopRow(page)).toContainText('Opened by keyboard')

  await page.setViewportSize(phone.viewport)
  await page.goto(url)
  const sheet = page.getByRole('dialog')
  await expect(sheet).toContainText('Newer')
  await expectAccessible(page, 'an alert as a sheet', [displayModes.phone])
  await page.setViewportSize(phone.viewport)
  await sheet.getByRole('button', { name: 'Close' }).click()
  await expect(page).toHaveURL(/\/dashboard$/)
  await getRow(page, 'Opened by keyboard').getByRole('button').click()
  await expect(sheet).toContainText('Opened by keyboard')
  await page.goBack()
  await expect(sheet).toHaveCount(0)
  await page.setViewportSize({ width: 1440, height: 900 })
  // The key `v` follows a link of the detail, so wait for the detail. Also wait for the toasts:
  // `goto` has reloaded the page, and the keyboard shortcuts load together with the toasts.
  await expect(detail).toContainText('Newer')
  await expect(getToasts(page)).toBeAttached()
  await page.keyboard.press('v')
  await expect(page).toHaveURL(/\/verification\?alert=/)
})

test('asset page: shows the track record and all alerts of the asset, even when the page is opened by its URL', async ({
  browser,
}) => {
  await createAlert('First of the asset', 'low')
  await createAlert('Second of the asset', 'medium')
  const page = await openDashboard(browser)
  await page.goto(`${product.url}/assets/NO-SUCH~-ASSET`)
  await expect(page.getByRole('heading', { name: 'NO/SUCH-ASSET', level: 1 })).toBeVisible()
  await expect(page.getByText('No alerts yet')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Record' })).toHaveCount(0)

  await page.goto(`${product.url}/dashboard`)
  await getRow(page, 'Second of the asset').getByRole('button').click()
  const detail = page.getByRole('complementary', { name: 'Selected alert' })
  // Use the keyboard, because parts of the detail that load later move the link away from the
  // pointer.
  await detail.getByRole('link', { name: 'All of ETH/USDT' }).press('Enter')
  await expect(page).toHaveURL(/\/assets\/ETH-USDT$/)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'ETH/USDT', level: 1 })).toBeVisible()
  await expect(findTopRow(page)).toContainText('Second of the asset')
  const record = page.getByRole('region', { name: 'Record', exact: true })
  await expect(record.getByRole('row').nth(1)).toContainText(/\d+%/)
  await expect(record).toContainText('Simulated market')
  await getRow(page, 'First of the asset').getByRole('button').click()
  await expect(page.getByRole('button', { name: 'Copy alert JSON' })).toBeVisible()
  await expectAccessible(page, 'the page of an asset')
  await createAlert('Third of the asset', 'low')
  await expect(findTopRow(page)).toContainText('Third of the asset')
})

test('/notifications and asset pages: rows show the full summary and the direction, days have headings, and rows can be compact', async ({
  browser,
}) => {
  await waitPastMidnight(5 * 60_000)
  await createAlert(longestSummary, 'low')
  const page = await openDashboard(browser)
  for (const path of ['/notifications', '/assets/ETH-USDT']) {
    await page.goto(product.url + path)
    const summary = findTopRow(page).locator('[data-field=summary]')
    for (const width of [1440, 1280, 1024, 768, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await expect(summary, `${path} at ${width} px`).toHaveText(longestSummary)
      const countHiddenLines = async () => {
        const [lines = 0, shown = 0] = await summary.evaluate(countLines)
        return lines - shown
      }
      await expect.poll(countHiddenLines, `lines of the summary on ${path} at ${width} px that are cut off`).toBe(0)
      await expect(findTopRow(page).getByText('↓'), `${path} at ${width} px`).toBeVisible()
      await expect(page.getByText(/^Today, \d+ \w+/).first(), `${path} at ${width} px`).toBeVisible()
    }
    await page.setViewportSize({ width: 1440, height: 900 })
    const readRowHeightPx = async () => (await findTopRow(page).boundingBox())?.height
    await expect.poll(readRowHeightPx).toBe(44)
    await page.getByRole('radio', { name: 'Compact' }).click()
    await expect.poll(readRowHeightPx, `compact rows on ${path}`).toBe(32)
    await expect.poll(readSavedDensity).toBe('compact')
    await page.getByRole('radio', { name: 'Comfortable' }).click()
    await expect.poll(readRowHeightPx).toBe(44)
    await expect.poll(readSavedDensity).toBe('comfortable')
  }
})

test('accessibility tree: rows have positions, pictures have names, and only a critical alert interrupts a screen reader', async ({
  browser,
}) => {
  const page = await openDashboard(browser)
  const articles = page.getByRole('feed', { name: 'Alerts, newest first' }).getByRole('article')
  await expect(articles.nth(5)).toBeVisible()
  const positions = await articles.evaluateAll((all) => all.map((article) => Number(article.ariaPosInSet)))
  expect(positions).toEqual(positions.map((_, index) => index + 1))
  await expect(page.getByRole('complementary', { name: 'Selected alert' }).getByText('6 of 6 checks')).toBeVisible()
  expect(await listPictures(page.locator('body'))).not.toContain('')
  await expect(page.getByRole('listbox', { name: /^Alerts of the last 6 hours: \d+$/ })).toBeVisible()
  const countInterruptions = async () => {
    const regions = page.locator(':is([aria-live=assertive], [role=alert], [role=log]):not([hidden])')
    const texts = await regions.allTextContents()
    return texts.filter((text) => text !== '')
  }
  expect(await countInterruptions(), 'nothing interrupts a screen reader').toEqual([])
  await expect(page.locator(':is([aria-live], [role=status]) [data-alert-row]')).toHaveCount(0)
  await createAlert('Announced in short', 'critical')
  await expect(findTopRow(page)).toContainText('Announced in short')
  await expect(getRegion(page, 'assertive')).toHaveText(/^Critical alert: ETH\/USDT, Volume spike.{0,80}$/)
  expect(await countInterruptions()).toHaveLength(1)
})

test('market chart: is drawn under the content security policy, and has its figures as a table', async ({
  browser,
}) => {
  const violations: string[] = []
  const page = await openDashboard(browser, {}, async (openedPage) => {
    openedPage.on('console', (message) => {
      if (message.type() === 'error') violations.push(message.text())
    })
  })
  await page.locator('[data-alert-row]').filter({ hasText: 'Price at issue' }).first().click()
  const detail = page.getByRole('complementary', { name: 'Selected alert' })
  const figure = detail.getByRole('figure').filter({ hasText: 'at issue' })
  await expect(figure.locator('canvas').first()).toBeVisible()
  await expect(figure, 'the canvas has a text alternative with its figures').toHaveAccessibleName(
    /^\S+, one-minute candles of .*\. Issued at \d\d:\d\d:\d\d, at a price of [\d.,]+.* Since then: high [\d.,]+, low [\d.,]+/,
  )
  await figure.getByText('Candles as a table').click()
  await expect.poll(() => figure.getByRole('region', { name: 'Candles' }).getByRole('row').count()).toBeGreaterThan(30)
  await expectAccessible(page, 'a market chart')
  // `expectAccessible` has shown the page at phone width, at which the detail is not beside the
  // list. So the detail is rendered again. Wait for its chart, because a click is lost while the
  // layout moves.
  await expect(figure.locator('canvas').first()).toBeVisible()
  await detail.getByRole('radio', { name: 'Series' }).click()
  await expect(detail.getByText('Drawn from the signal')).toBeVisible()
  expect(violations.filter((text) => /Content Security Policy|TrustedHTML/.test(text))).toEqual([])

  await test.step('the button “Download proof” does not move while an opened alert loads', async () => {
    const id = await page.locator('[data-alert-row][aria-current]').getAttribute('data-alert-row')
    await page.addInitScript(recordButtonPlaces)
    await page.goto(`${product.url}/notifications?alert=${id}`)
    const openedAlert = page.getByRole('main')
    await expect(openedAlert.locator('canvas').first()).toBeVisible()
    await expect(openedAlert.getByText('in this browser, 6 of 6 checks')).toBeVisible()
    expect(await page.evaluate(() => Reflect.get(window, 'buttonPlaces'))).toHaveLength(1)
    await page.goto(`${product.url}/dashboard?alert=${id}`)
  })

  await page.route('**/api/market/candles?*', (route) => route.fulfill({ json: null }))
  // Remove the candles of the outcome message too, so that the series is the only chart.
  await page.route('**/api/log/messages/*', (route) => route.fulfill({ body: '' }))
  await page.reload()
  await expect(detail.getByText('Drawn from the signal'), 'the series is the only chart').toBeVisible()
  await expect(detail.getByRole('radio', { name: 'Price' })).toHaveCount(0)
})

test('live list: an alert is marked as failed and not announced when it was changed in transit', async ({
  browser,
}) => {
  const socket = await openWithRoutedSocket(browser)
  const { page } = socket
  // An alert whose check takes more than five seconds is announced unchecked. Check one alert
  // first, because the first check also starts the worker.
  await createAlert('Checked first', 'low')
  await expect(getRegion(page, 'polite')).toHaveText(/new alert/)
  const forgedSummary = 'Sell everything now.'
  socket.rewriteFrames((frame) => frame.replace('Genuine words', forgedSummary))
  await createAlert('Genuine words', 'critical')
  await expect(page.getByText('An alert failed its check').first()).toBeVisible()
  await expect(getRegion(page, 'assertive')).toContainText('An alert failed its check')
  await expect(getRow(page, forgedSummary).getByText('Proof failed')).toBeVisible()
  await expect(getToasts(page).getByText(forgedSummary)).toHaveCount(0)
  await expect(getRegion(page, 'assertive')).not.toContainText('Critical alert')
  await expectAccessible(page, 'a dashboard with a forged alert')

  // A later, unchanged alert is announced as usual.
  socket.rewriteFrames((frame) => frame)
  await openHistory(page)
  await createAlert('Untouched words', 'high')
  await expect(getToasts(page).getByText('Untouched words')).toBeVisible()
  await page.getByRole('link', { name: 'Dashboard' }).click()
  await expect(getRow(page, 'Untouched words').getByText('Proof failed')).toHaveCount(0)
})

test('live list: missed alerts are summarised in one message, without toasts and sound, when the page reconnects', async ({
  browser,
}) => {
  await sendAdminRequest('PUT', '/api/settings/preferences', { sound: true, soundFrom: 'low' })
  // The page always receives the head of an anchored log. Otherwise it could notice that the log
  // changes while the stream is down, and would fetch the new alerts before it reconnects.
  await waitUntilAnchored(product.url)
  const head = await (await sendAdminRequest('GET', '/api/log/head')).json()
  const anchoredHead = { ...head, anchored: { ...head.anchored, size: head.size } }
  const socket = await openWithRoutedSocket(browser, async (newPage) => {
    await recordToasts(newPage.context())
    await newPage.route('**/api/log/head', (route) => route.fulfill({ json: anchoredHead }))
  })
  const { page } = socket
  const readToneCount = await countTones(page)
  await socket.disconnect()
  for (const at of [1, 2, 3]) await createAlert(`Missed ${at}`, 'high')
  socket.reconnect()
  await expectToastIn(page, 'Caught up: 3 alerts', '')
  await expect(getRow(page, 'Missed 3')).toBeVisible()
  await expect(getToasts(page).getByRole('listitem')).toHaveCount(0)
  expect(await readToneCount()).toBe(0)

  await openHistory(page)
  await createAlert('Heard', 'high')
  await expect(getToasts(page).getByText('Heard')).toBeVisible()
  await expect.poll(readToneCount).toBeGreaterThan(0)
  const toneCount = await readToneCount()
  await expect(page.locator('[data-keys=m]'), 'the key clicks this button').toBeVisible()
  await page.keyboard.press('m')
  await expect(page.getByRole('button', { name: 'Unmute sound (m)' })).toBeVisible()
  await createAlert('Not heard', 'critical')
  await expect(getToasts(page).getByText('Not heard')).toBeVisible()
  expect(await readToneCount()).toBe(toneCount)
})

test('dashboard: the number of event listeners does not grow with the number of received alerts', async ({
  browser,
}) => {
  // Disable verification, because the test sends changed copies of an alert, whose signatures are
  // invalid.
  await sendAdminRequest('PUT', '/api/settings/preferences', { autoVerify: false })
  await createAlert('Copied', 'low')
  const [copiedAlert] = await (await sendAdminRequest('GET', '/api/alerts/recent?limit=1')).json()
  const { page, sendToPage } = await openWithRoutedSocket(browser)
  await expect(findTopRow(page)).toContainText('Copied')
  const countListeners = await createListenerCounter(page)
  let receivedCount = 0
  const receiveAlerts = async (count: number) => {
    const last = receivedCount + count
    while (receivedCount < last) {
      receivedCount += 1
      // Spread the alerts over five and a half hours, so that each has its own place in the pulse.
      const createdAt = new Date(Date.now() - (600 - receivedCount) * 33_000).toISOString()
      const changes = { id: `received-${receivedCount}`, logIndex: copiedAlert.logIndex + receivedCount, createdAt }
      sendToPage({ type: 'new_alert', alert: { ...copiedAlert, ...changes, summary: `Received ${receivedCount}` } })
      // The page renders once per animation frame, so five alerts are rendered together.
      if (receivedCount % 5 === 0) await page.evaluate(() => new Promise(requestAnimationFrame))
    }
    await expect(findTopRow(page)).toContainText(`Received ${receivedCount}`)
  }
  // The first 100 alerts fill all rows that the virtual list renders: visible ones and overscan.
  await receiveAlerts(100)
  const before = await countListeners()
  await receiveAlerts(500)
  // Lazy-loaded parts of the page add a few listeners. One listener per alert would add hundreds.
  await expect.poll(countListeners, `${before} listeners after 100 alerts, after 600`).toBeLessThan(before + 100)
})

test('preferences: have the specified defaults, sync between devices and are reverted when saving fails', async ({
  browser,
}) => {
  const [firstTab, secondTab] = await Promise.all([
    openDashboard(browser, {}, (page) => recordToasts(page.context())),
    openDashboard(browser),
  ])
  for (const page of [firstTab, secondTab]) {
    await page.getByRole('link', { name: 'Settings' }).click()
    await expect(getSwitch(page, 'Real-time alerts')).toBeChecked()
    await expect(getSwitch(page, 'Auto-verify signatures')).toBeChecked()
    await expect(getSwitch(page, 'High priority only')).not.toBeChecked()
    await expect(getSwitch(page, 'Browser notifications')).not.toBeChecked()
    await expect(getSwitch(page, 'Sound')).not.toBeChecked()
  }
  await firstTab.getByLabel('Time zone').selectOption('Asia/Tokyo')
  await getSwitch(firstTab, 'High priority only').click()
  await expect(firstTab.getByText('GMT+9').first()).toBeVisible()
  await expect.poll(async () => (await readSavedPreferences()).highPriorityOnly).toBe(true)
  // The other page updates through the live stream.
  await expect(getSwitch(secondTab, 'High priority only')).toBeChecked()
  await expect(secondTab.getByText('GMT+9').first()).toBeVisible()
  await createAlert('Not read yet', 'low')
  for (const page of [firstTab, secondTab]) await expect(page).toHaveTitle(/^\(\d+\+?\) Settings/)
  await postAsAdmin('/api/alerts/read-all', { upTo: Number.MAX_SAFE_INTEGER })
  for (const page of [firstTab, secondTab]) await expect(page).toHaveTitle(/^Settings/)
  await expectAccessible(firstTab, 'the settings')

  await firstTab.route('**/api/settings/preferences', (route) => route.fulfill({ status: 503, body: '' }))
  await getSwitch(firstTab, 'Auto-verify signatures').click()
  await expectToastIn(firstTab, 'Setting Not Saved', '')
  await expect(getSwitch(firstTab, 'Auto-verify signatures')).toBeChecked()
  await firstTab.unrouteAll({ behavior: 'wait' })

  await getToasts(firstTab).focus()
  await createAlert('Only in the list', 'medium')
  await createAlert('High enough', 'high')
  await expect(getToasts(firstTab).getByRole('listitem')).toHaveText([/High enough/])
  await firstTab.getByRole('link', { name: 'Dashboard' }).click()
  await expect(getRow(firstTab, 'Only in the list')).toBeVisible()

  await firstTab.getByRole('link', { name: 'Settings' }).click()
  await getSwitch(firstTab, 'Real-time alerts').click()
  // A change that is saved only after this test would undo the reset of the preferences.
  await expect.poll(async () => (await readSavedPreferences()).realTimeAlerts).toBe(false)
  await firstTab.getByRole('link', { name: 'Dashboard' }).click()
  await expect(firstTab.locator('#page').getByText('Real-time alerts off').first()).toBeVisible()
  await createAlert('Alert without a toast', 'critical')
  await firstTab.getByRole('button', { name: 'Refresh', exact: true }).click()
  await expect(getRow(firstTab, 'Alert without a toast')).toBeVisible()
  await expect(getToasts(firstTab).getByText('Alert without a toast')).toHaveCount(0)
  await firstTab.getByRole('link', { name: 'History' }).click()
  await expect(firstTab.getByText('High priority only on').first()).toBeVisible()
})

test('browser notifications: ask for permission, appear when the page is in the background, and explain a blocked permission', async ({
  browser,
}) => {
  const page = await openDashboard(browser, {}, recordNotifications)
  await page.getByRole('link', { name: 'Settings' }).click()
  await getSwitch(page, 'Browser notifications').click()
  await page.getByRole('button', { name: 'Maybe Later' }).click()
  await expect(getSwitch(page, 'Browser notifications')).not.toBeChecked()

  await getSwitch(page, 'Browser notifications').click()
  await expectAccessible(page, 'the explanation before the permission prompt')
  await setPermission(page, 'denied')
  await page.getByRole('button', { name: 'Enable' }).click()
  await expect(page.getByText('This browser blocks notifications from this site.').first()).toBeVisible()
  await expect(getSwitch(page, 'Browser notifications')).not.toBeChecked()

  await setPermission(page, 'granted')
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await getSwitch(page, 'Browser notifications').click()
  await expect(getSwitch(page, 'Browser notifications')).toBeChecked()
  await expect.poll(async () => (await readSavedPreferences()).browserNotifications).toBe(true)
  await page.getByRole('button', { name: 'Test' }).click()
  await expect.poll(() => readNotifications(page)).toEqual(['Test notification'])

  await page.evaluate(() => {
    document.hasFocus = () => false
    window.dispatchEvent(new Event('blur'))
  })
  await createAlert('While elsewhere', 'high')
  await expect
    .poll(() => readNotifications(page))
    .toEqual(['Test notification', 'HIGH ETH/USDT Volume spike: While elsewhere'])
  await page.evaluate(() => {
    const { last } = window as unknown as { last: { onclick: () => void } }
    last.onclick()
  })
  await expect(page).toHaveURL(/\/notifications\?.*alert=/)
})

test('keyboard shortcuts: trigger the page’s actions, except when typing or when turned off', async ({ browser }) => {
  const page = await openDashboard(browser)
  await page.keyboard.press('?')
  const shortcutDialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(shortcutDialog).toBeVisible()
  await expectAccessible(page, 'the shortcut help')
  await page.keyboard.press('p')
  await closeByEscape(shortcutDialog)
  await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible()

  await pressSequence(page, 'gv')
  await expect(page).toHaveURL(/\/verification/)
  await page.getByRole('textbox', { name: 'Alert JSON' }).fill('')
  await page.getByRole('textbox', { name: 'Alert JSON' }).pressSequentially('gd')
  await expect(page).toHaveURL(/\/verification/)
  await page.getByRole('heading', { level: 1 }).click()
  await pressSequence(page, 'gs')
  await expect(page).toHaveURL(/\/settings/)
  await getSwitch(page, 'Keyboard shortcuts').click()
  await expect.poll(async () => (await readSavedPreferences()).shortcuts).toBe(false)
  await pressSequence(page, 'gd')
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page).toHaveURL(/\/settings/)
  await page.getByRole('button', { name: 'Show keys' }).click()
  await expect(shortcutDialog).toBeVisible()
})

test('watchlist: the key w stars the asset of the open alert, and filtered lists update in all tabs', async ({
  browser,
}) => {
  const page = await openDashboard(browser)
  await createAlert('Of another asset', 'low')
  await createAlert('Of the watched asset', 'low', 'ZZZ/USDT')
  await getRow(page, 'Of the watched asset').getByRole('button').click()
  const filter = page.getByRole('button', { name: 'Watchlist only' })
  await filter.click()
  await expect(page.getByText('No watched assets')).toBeVisible()
  await expectAccessible(page, 'an empty watchlist')
  await page.getByRole('button', { name: 'Show all alerts' }).click()

  await getRow(page, 'Of the watched asset').getByRole('button').click()
  const detail = page.getByRole('complementary', { name: 'Selected alert' })
  const watchButton = detail.getByRole('button', { name: 'Watch ZZZ/USDT' })
  await expect(watchButton).toHaveAttribute('aria-pressed', 'false')
  await page.keyboard.press('w')
  await expect(watchButton).toHaveAttribute('aria-pressed', 'true')
  await expect.poll(async () => (await readSavedPreferences()).watchlist).toEqual(['ZZZ/USDT'])

  await filter.click()
  await expect(getRow(page, 'Of another asset')).toHaveCount(0)
  await expect(getRow(page, 'Of the watched asset')).toBeVisible()
  await page.reload()
  await expect(filter).toHaveAttribute('aria-pressed', 'true')
  await expect(getRow(page, 'Of the watched asset')).toBeVisible()
  await expect(getRow(page, 'Of another asset')).toHaveCount(0)
  await expect(watchButton).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await createAlert('Live of another asset', 'low')
  await createAlert('Live of the watched asset', 'low', 'ZZZ/USDT')
  await expect(getRow(page, 'Live of the watched asset')).toBeVisible()
  await expect(getRow(page, 'Live of another asset')).toHaveCount(0)
  await expectAccessible(page, 'the watchlist on the dashboard')

  const otherTab = await page.context().newPage()
  await installWallet(otherTab, { chainUrl: product.chainUrl, accountIndex: 9 })
  await otherTab.goto(`${product.url}/assets/ZZZ-USDT`)
  const otherWatchButton = otherTab.getByRole('main').getByRole('button', { name: 'Watch ZZZ/USDT' }).first()
  await expect(otherWatchButton).toHaveAttribute('aria-pressed', 'true')
  await otherWatchButton.click()
  await expect(otherWatchButton).toHaveAttribute('aria-pressed', 'false')
  await expect(page.getByText('No watched assets')).toBeVisible()
  expect((await readSavedPreferences()).watchlist).toEqual([])
})

test('saved views: can be saved, opened, replaced, renamed and deleted, and update in all tabs', async ({
  browser,
}) => {
  const page = await openDashboard(browser)
  await createAlert('Of a view', 'low', 'VVV/USDT')
  await createAlert('Of no view', 'low', 'NNN/USDT')
  await expect(getRow(page, 'Of no view')).toBeVisible()
  const dialog = page.getByRole('dialog')
  const views = page.getByRole('button', { name: 'Saved views' })
  // The button is disabled until the menu has been loaded.
  await expect(views).toBeEnabled()
  await page.keyboard.press('s')
  await expect(page.getByText('No saved views yet.')).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Save these filters…' })).toBeDisabled()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'More filters' }).click()
  await expectAccessible(page, 'the filters')
  await dialog.getByRole('button', { name: 'Asset: All assets' }).press('Enter')
  await page.getByRole('menuitemcheckbox', { name: 'VVV/USDT' }).click()
  await page.keyboard.press('Escape')
  await expect(dialog.getByRole('button', { name: 'Asset: VVV/USDT' })).toBeVisible()
  await closeByEscape(dialog)
  await expect(getRow(page, 'Of a view')).toBeVisible()
  await expect(getRow(page, 'Of no view')).toHaveCount(0)

  await views.press('Enter')
  await page.getByRole('menuitem', { name: 'Save these filters…' }).press('Enter')
  await dialog.getByRole('button', { name: 'Save view' }).click()
  await expect(dialog.getByText('Enter a name')).toBeVisible()
  await dialog.getByLabel('Name').fill('Only V')
  await expectAccessible(page, 'the dialog that saves a view')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Saved views: Only V' })).toBeVisible()

  const other = await page.context().newPage()
  await installWallet(other, { chainUrl: product.chainUrl, accountIndex: 9 })
  await other.goto(`${product.url}/notifications`)
  await expect(getRow(other, 'Of a view')).toBeVisible()
  // Keyboard shortcuts are loaded together with the toasts.
  await expect(getToasts(other)).toBeAttached()
  await other.keyboard.press('ControlOrMeta+k')
  await other.getByRole('combobox', { name: 'Search pages, assets, alerts and actions' }).fill('only v')
  await expect(other.getByRole('option', { name: /Only V/, selected: true })).toBeVisible()
  await other.keyboard.press('Enter')
  await expect(other).toHaveURL(/notifications\?asset=VVV%2FUSDT$/)
  await expect(other.getByRole('button', { name: 'Saved views: Only V' })).toBeVisible()
  await expect(getRow(other, 'Of no view')).toHaveCount(0)

  await page.getByRole('button', { name: 'More filters' }).click()
  await dialog.getByRole('button', { name: 'Asset: VVV/USDT' }).press('Enter')
  await page.getByRole('menuitemcheckbox', { name: 'NNN/USDT' }).click()
  await page.keyboard.press('Escape')
  await expect(dialog.getByRole('button', { name: 'Asset: 2 assets' })).toBeVisible()
  await closeByEscape(dialog)
  await views.press('Enter')
  await page.getByRole('menuitem', { name: 'Save these filters…' }).press('Enter')
  await dialog.getByLabel('Name').fill('only v')
  await expect(dialog.getByText('“Only V” exists. Its filters will be replaced.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Replace view' }).click()
  await expect(page.getByRole('button', { name: 'Saved views: Only V' })).toBeVisible()
  // The other tab still shows the filters that the view had before, so they no longer match the
  // view.
  await expect(other.getByRole('button', { name: 'Saved views', exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Saved views: Only V' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Rename or delete…' }).press('Enter')
  await dialog.getByRole('button', { name: 'Rename Only V' }).click()
  await dialog.getByLabel('New name of Only V').fill('Two assets')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('button', { name: 'Delete Two assets' })).toBeVisible()
  await expectAccessible(page, 'the dialog of saved views')
  await dialog.getByRole('button', { name: 'Delete Two assets' }).click()
  await dialog.getByRole('button', { name: 'Keep' }).click()
  await dialog.getByRole('button', { name: 'Delete Two assets' }).click()
  await dialog.getByRole('button', { name: 'Delete view' }).click()
  await expect(dialog.getByText('No saved views.')).toBeVisible()
})

test('command palette: opens pages, alerts and actions by keyboard, even while typing', async ({ browser }) => {
  await createAlert('Palette target', 'low')
  const page = await openDashboard(browser)
  await expect(getRow(page, 'Palette target').first()).toBeVisible()
  const palette = page.getByRole('dialog', { name: 'Command palette' })
  const search = palette.getByRole('combobox', { name: 'Search pages, assets, alerts and actions' })
  const openPalette = async () => {
    await page.keyboard.press('ControlOrMeta+k')
    await expect(search).toBeFocused()
  }
  await page.getByRole('button', { name: 'Search or jump to (Ctrl+K)' }).click()
  await expect(search).toBeFocused()
  await expectAccessible(page, 'the command palette')
  await search.fill('no such entry')
  await expect(palette.getByText('0 results')).toBeVisible()
  await expectAccessible(page, 'the command palette without results')
  await page.keyboard.press('Enter')
  await expect(palette, 'Enter does nothing without a result').toBeVisible()
  await closeByEscape(palette)

  await openPalette()
  await search.fill('eth/usdt')
  await expect(palette.getByRole('option', { name: /^ETH\/USDT/ }), 'the asset is first').toHaveAttribute(
    'aria-selected',
    'true',
  )
  await palette.getByRole('option', { name: 'Add ETH/USDT to the watchlist' }).click()
  await expect.poll(async () => (await readSavedPreferences()).watchlist).toEqual(['ETH/USDT'])

  await getRow(page, 'Palette target').first().click()
  await openPalette()
  await search.fill('star')
  await palette.getByRole('option', { name: 'Remove ETH/USDT from the watchlist' }).click()
  await expect.poll(async () => (await readSavedPreferences()).watchlist, 'the asset of the open alert').toEqual([])

  await openPalette()
  await search.fill('copy public link')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await palette.getByRole('option', { name: /^Copy the public link of #/ }).click()
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toMatch(new RegExp(`^${product.url}/a/\\d+$`))

  await openPalette()
  await search.fill('light theme')
  await expect(palette.getByText('1 result', { exact: true })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(palette).toHaveCount(0)
  await expect.poll(() => page.evaluate(() => localStorage.getItem('theme'))).toBe('light')

  await openPalette()
  await search.fill('low')
  await palette.getByRole('option', { name: /^Low/ }).first().click()
  await expect(page).toHaveURL(/\/notifications\?.*alert=/)
  await openPalette()
  await search.fill('verif')
  await expect(palette.getByRole('option', { name: /^Verification/, selected: true })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/verification$/)
  await page.getByRole('textbox', { name: 'Alert JSON' }).focus()
  await openPalette()
  await page.keyboard.press('ControlOrMeta+k')
  await expect(palette).toHaveCount(0)
  await expect(page.getByRole('textbox', { name: 'Alert JSON' }), 'focus is restored').toBeFocused()
  await openPalette()
  await search.fill('shortcuts')
  await expect(palette.getByRole('option', { name: /keyboard shortcuts/, selected: true })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await expect(palette, 'does not open over another dialog').toHaveCount(0)
})

/**
 * Opens the History page, because toasts show alerts only on pages without the alert list. Focuses
 * the toasts, because toasts stay open while they have the focus.
 */
async function openHistory(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'History' }).click()
  await expect(page.getByRole('heading', { name: 'History', level: 1 })).toBeVisible()
  await getToasts(page).focus()
}

const getToasts = (page: Page) => page.getByRole('region', { name: /Market alerts/ })
const getRow = (page: Page, summary: string) => page.getByRole('article').filter({ hasText: summary })
const findTopRow = (page: Page) => page.locator('[data-alert-row]').first()
const getSwitch = (page: Page, name: string) => page.getByRole('switch', { name, exact: true })
/**
 * Presses the keys of a shortcut in one task. In separate actions, the second key could miss the
 * time limit of the sequence.
 */
const pressSequence = (page: Page, keys: string) =>
  page.evaluate((sequence) => {
    for (const key of sequence)
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
  }, keys)
const getRegion = (page: Page, kind: 'polite' | 'assertive') => page.locator(`[data-live-region="${kind}"]`)

test('system status: shows alerts as delayed, not as disconnected, when the server cannot read new alerts', async ({
  browser,
}) => {
  const socket = await openWithRoutedSocket(browser)
  const { page } = socket
  const websocket = page.getByRole('region', { name: 'System status' }).getByRole('definition').nth(1)
  await expect(websocket).toHaveText('Connected')
  const consoleMessage = page.waitForEvent('console', (message) =>
    message.text().includes('Unknown message on the live socket'),
  )
  socket.sendToPage({ type: 'unheard_of' })
  expect((await consoleMessage).text()).toContain('unheard_of')
  await expect(websocket).toHaveText('Connected')
  socket.sendToPage({ type: 'delayed', since: new Date().toISOString() })
  await expect(websocket).toHaveText(/^Connected\s*New alerts are delayed$/)
  await expect(page.getByRole('region', { name: 'Status' }).getByRole('status')).toContainText('Alerts are delayed')
  socket.sendToPage({ type: 'delayed', since: null })
  await expect(websocket).toHaveText('Connected')
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
})

test('live status: shows “Late” after 1.5 missed heartbeats and “Disconnected” after three when the server freezes', async ({
  browser,
}) => {
  let isFrozen = false
  let sendToPage = (_message: object) => {}
  const page = await openDashboard(browser, {}, async (newPage) => {
    await newPage.clock.install()
    await newPage.routeWebSocket(/\/ws$/, (route) => {
      const server = route.connectToServer()
      sendToPage = (message) => route.send(JSON.stringify(message))
      server.onMessage((message) => {
        if (!isFrozen) route.send(message)
      })
    })
  })
  const state = page.getByRole('region', { name: 'Status' }).getByRole('status')
  const card = page.getByRole('region', { name: 'System status' })
  await expect(state).toContainText('Live')
  await expect(card).toContainText('WebSocketConnected')
  // Pause the page's clock before the last message arrives, so that only `advanceClock` adds to the
  // age of this message. The message before restarts the timer that replaces a silent connection,
  // because `pauseAt` advances the clock.
  sendToPage({ type: 'delayed', since: null })
  const pauseClock = async () => page.clock.pauseAt((await page.evaluate(() => Date.now())) + 5_000)
  // On a slow machine, this time can be over before the call reaches the page. The call then pauses
  // the clock and fails, so a second call succeeds.
  await pauseClock().catch(pauseClock)
  isFrozen = true
  sendToPage({ type: 'delayed', since: null })
  await expect(state).toContainText(/Live\s*[0-3] s ago/)
  await advanceClock(page, 12_000)
  await expect(state).toContainText(/Live\s*1\d s ago/)
  await advanceClock(page, 5_000)
  await expect(state).toContainText(/Late\s*1\d s ago/)
  await expect(card).toContainText('WebSocketLate')
  // After another 16 s, the client also replaces the silent connection. The new connection receives
  // no messages either.
  await advanceClock(page, 16_000)
  await expect(state).toContainText(/Disconnected.*\d+ (s|min) ago/)
  await expect(card).toContainText('WebSocketDisconnected')
})

test('alert toasts: disappear after eight seconds', async ({ browser }) => {
  const page = await openDashboard(browser, { reducedMotion: 'no-preference' }, (newPage) => newPage.clock.install())
  await page.mouse.move(300, 850)
  // `openHistory` focuses the toasts, so the eight seconds start only after the clock is paused.
  await openHistory(page)
  await createAlert('Eight seconds', 'medium')
  const toast = getToasts(page).getByText('Eight seconds')
  await expect(toast).toBeVisible()
  await page.clock.pauseAt(Date.now() + 60_000)
  await getToasts(page).blur()
  await page.clock.runFor(6_000)
  await expect(toast).toBeVisible()
  // Includes the second that the toast takes to fade out.
  await page.clock.runFor(3_500)
  await expect(toast).toHaveCount(0)
})

/**
 * Opens the dashboard as the admin in a new browser context, with a proved wallet and a live
 * connection. The page announces every alert that is created afterwards.
 */
async function openDashboard(
  browser: Browser,
  options: BrowserContextOptions = {},
  prepare: (page: Page) => Promise<void> = async () => {},
): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage()
  const waitForLiveRead = watchLiveRead(page)
  await prepare(page)
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 9, isConnected: true })
  await startSession(page.context(), product.url, product.admin)
  await proveWallet(page.context(), product.url, 9)
  await page.goto(`${product.url}/dashboard`)
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  // Keyboard shortcuts and toasts are loaded together when the browser is idle.
  await expect(getToasts(page)).toBeAttached()
  await waitForLiveRead()
  return page
}

/** Opens a dashboard whose WebSocket can be modified, closed and reopened by the test. */
async function openWithRoutedSocket(browser: Browser, prepare: (page: Page) => Promise<void> = async () => {}) {
  let rewriteFrames = (frame: string) => frame
  const openedSockets: WebSocketRoute[] = []
  let reconnect = () => {}
  let reconnectGate = Promise.resolve()
  const page = await openDashboard(browser, {}, async (newPage) => {
    await prepare(newPage)
    await newPage.routeWebSocket(/\/ws$/, async (route) => {
      await reconnectGate
      openedSockets.push(route)
      const server = route.connectToServer()
      route.onMessage((message) => server.send(message))
      server.onMessage((message) => route.send(rewriteFrames(String(message))))
    })
  })
  return {
    page,
    rewriteFrames: (next: typeof rewriteFrames) => {
      rewriteFrames = next
    },
    /** Sends a message to the page as the server. */
    sendToPage: (message: object) => openedSockets.at(-1)?.send(JSON.stringify(message)),
    async disconnect() {
      reconnectGate = new Promise((resolve) => {
        reconnect = resolve
      })
      await openedSockets.at(-1)?.close()
      // Unlike the status line, the card shows the same word however long the stream is down.
      await expect(page.getByRole('region', { name: 'System status' })).toContainText('WebSocketDisconnected')
    },
    reconnect: () => reconnect(),
  }
}

/** Returns a function that counts the event listeners of the page that are still in use. */
async function createListenerCounter(page: Page): Promise<() => Promise<number>> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Performance.enable')
  return async () => {
    await devTools.send('HeapProfiler.collectGarbage')
    const { metrics } = await devTools.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'JSEventListeners')?.value ?? Number.POSITIVE_INFINITY
  }
}

/** Counts the tones that the page plays from now on. */
async function countTones(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(async () => {
    const state = window as unknown as { toneCount: number }
    state.toneCount = 0
    // Start the audio process of the browser now, because the page drops a tone if the start takes
    // long.
    await new AudioContext().resume()
    const { createOscillator } = AudioContext.prototype
    AudioContext.prototype.createOscillator = function () {
      state.toneCount += 1
      return createOscillator.call(this)
    }
  })
  return () => page.evaluate(() => (window as unknown as { toneCount: number }).toneCount)
}

/**
 * Replaces the Notification API by one that asks for permission and records notifications. Headless
 * browsers deny the permission without asking.
 */
async function recordNotifications(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const state = window as unknown as { response: NotificationPermission; shown: string[]; last: unknown }
    state.response = 'default'
    state.shown = []
    class RecordedNotification {
      static permission: NotificationPermission = 'default'
      static async requestPermission() {
        RecordedNotification.permission = state.response
        return state.response
      }
      onclick = () => {}
      constructor(title: string, options: NotificationOptions) {
        state.shown.push(options.tag === 'test' ? title : `${title}: ${options.body}`)
        state.last = this
      }
      close() {}
    }
    Object.assign(window, { Notification: RecordedNotification })
  })
}

/**
 * Sets the response to the next permission request. `granted` also applies immediately, as when the
 * user allows the site in the browser settings.
 */
const setPermission = (page: Page, response: NotificationPermission) =>
  page.evaluate((permission) => {
    Object.assign(window, { response: permission })
    if (permission === 'granted') Object.assign(Notification, { permission })
  }, response)
const readNotifications = (page: Page) => page.evaluate(() => (window as unknown as { shown: string[] }).shown)

function sendAdminRequest(method: string, path: string, body?: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', origin: product.url, cookie: adminCookie ?? '' }
  return fetch(product.url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
}
const postAsAdmin = (path: string, body: object) => sendAdminRequest('POST', path, body)

/** Creates an alert as the admin and returns its id. */
async function createAlert(summary: string, priority: string, asset = 'ETH/USDT'): Promise<string> {
  const content = { asset, anomalyType: 'Volume spike', confidence: 97.3, priority, summary }
  const response = await postAsAdmin('/api/alerts', content)
  expect(response.status).toBe(201)
  return (await response.json()).alert.id
}

async function readSavedPreferences(): Promise<typeof defaults> {
  return (await sendAdminRequest('GET', '/api/settings/preferences')).json()
}
const readSavedDensity = async () => (await readSavedPreferences()).density

/** Runs in the page. Returns the number of lines of a text, and how many of them its box shows. */
function countLines(element: Element): number[] {
  const lineHeight = Number.parseFloat(getComputedStyle(element).lineHeight)
  return [element.scrollHeight, element.clientHeight].map((height) => Math.round(height / lineHeight))
}

/** Disables the demo feed, whose signals would add alerts. */
async function stopFeed(): Promise<void> {
  const config = await (await sendAdminRequest('GET', '/api/admin/websocket/config')).json()
  const { externalEndpoint, reconnectInterval, maxRetries } = config
  const disabledSettings = { externalEndpoint, reconnectInterval, maxRetries, isEnabled: false }
  expect((await sendAdminRequest('PUT', '/api/admin/websocket/config', disabledSettings)).ok).toBe(true)
}

/**
 * Runs in the page before its scripts. Records each distinct distance, in px, from the top of the
 * open row to the button “Download proof”. Several distances mean that the button has moved.
 */
function recordButtonPlaces(): void {
  const buttonOffsets: number[] = []
  Reflect.set(window, 'buttonPlaces', buttonOffsets)
  const recordOffset = () => {
    const row = document.querySelector('[data-alert-row][aria-expanded=true]')
    const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Download proof')
    if (row && button) {
      const offset = Math.round(button.getBoundingClientRect().top - row.getBoundingClientRect().top)
      if (!buttonOffsets.includes(offset)) buttonOffsets.push(offset)
    }
    requestAnimationFrame(recordOffset)
  }
  recordOffset()
}
