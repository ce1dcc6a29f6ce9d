import { type Browser, type BrowserContext, expect, type Page } from '@playwright/test'
import { createTestClient } from '@tocsin/testkit'
import { listPictures } from './accessibility-tree.ts'
import { colorRules, findViolations } from './accessible.ts'
import { advanceClock } from './advance-clock.ts'
import { test } from './browser-test.ts'
import { closeByEscape } from './close-dialog.ts'
import { findClippedTexts } from './find-clipped-texts.ts'
import { findSmallTargets } from './find-small-targets.ts'
import { logIn } from './log-in.ts'
import { installWallet } from './scripted-wallet.ts'
import { startSession } from './session.ts'
import { useProduct } from './use-product.ts'
import { visit, waitForData } from './visit.ts'

const product = useProduct()

/** Widths in px at which words and numbers must not be broken. */
const readingWidths = [1536, 1440, 1366, 1280, 1024, 768, 390]
/** Widths in px at which nothing may overflow. */
const widths = [1440, 768, 390, 320]
const touchSizes = [
  { width: 820, height: 1180 },
  { width: 390, height: 844 },
]
/** Widths in px at which axe runs. */
const accessibleWidths = [1440, 390]

/**
 * Pages without sign-in, each with a text that shows that the page has loaded. The previous page
 * must not contain this text. The prerendered pages are covered by public.test.ts.
 */
const publicScreens: [path: string, landmark: RegExp][] = [
  ['/auth', /Forgot password/],
  ['/auth?tab=sign-up', /Confirm password/],
  ['/auth?mode=forgot-password', /reset/i],
  ['/verify-email', /No verification token found/],
  ['/reset-password', /Invalid Reset Link/],
  ['/admin-auth', /Admin/],
  ['/dev/outbox', /Outbox/],
  ['/nowhere', /Page Not Found/],
]
const traderScreens: [path: string, landmark: RegExp][] = [
  ['/dashboard', /Market Insights Dashboard/],
  ['/notifications', /Mark all read/],
  ['/history', /Signed in/],
  ['/verification', /Six checks/i],
  ['/settings', /No API key yet/],
  ['/settings/channels', /No destination yet/],
]

const adminPages: [path: string, landmark: RegExp][] = [
  ['/admin', /Revenue/],
  ['/admin?tab=dashboard', /Total Alerts/],
  ['/admin?view=audit', /Export CSV/],
  ['/admin?tab=alerts', /Alert History/],
  ['/admin?tab=users', /Total users/],
  ['/admin?tab=users&view=payments', /Reconciliation/],
]

test('public screens: are accessible and do not overflow in both themes from 320 px', async ({ browser }) => {
  const page = await openPage(browser)
  for (const [path, landmark] of publicScreens) await checkPage(page, path, landmark)
})

test('trader screens: are accessible and do not overflow in both themes from 320 px', async ({ browser }) => {
  const page = await openConnectedPage(await browser.newContext(), 7)
  for (const [path, landmark] of traderScreens) await checkPage(page, path, landmark)
})

test('admin screens: are accessible and do not overflow in both themes from 320 px', async ({ browser }) => {
  const page = await openPage(browser)
  await startSession(page.context(), product.url, product.admin)
  for (const [path, landmark] of adminPages) {
    await checkPage(page, path, landmark)
    if (path === '/admin') await expectNamedCharts(page)
  }
})

test('forced colors: switches, filters and the current entry of the navigation show their state', async ({
  browser,
}) => {
  const page = await openPage(browser)
  await page.emulateMedia({ forcedColors: 'active' })
  await startSession(page.context(), product.url, product.trader)
  await page.goto(`${product.url}/settings`)
  const getColors = (isOn: boolean) =>
    page
      .getByRole('switch', { checked: isOn })
      .first()
      .evaluate((track) => [track, ...track.children].map((part) => getComputedStyle(part).backgroundColor))
  const [onTrack, onKnob] = await getColors(true)
  const [offTrack, offKnob] = await getColors(false)
  expect(onTrack).not.toBe(offTrack)
  expect(onKnob).not.toBe(onTrack)
  expect(offKnob).not.toBe(offTrack)
  const getOutline = (name: string) =>
    page
      .getByRole('link', { name, exact: true })
      .first()
      .evaluate((link) => getComputedStyle(link).outlineStyle)
  expect(await getOutline('Settings')).toBe('solid')
  expect(await getOutline('History')).toBe('none')
  await page.goto(`${product.url}/notifications?priority=high`)
  const findChip = (name: string) => page.locator('button[aria-pressed]').filter({ hasText: name })
  await expect(findChip('High')).toHaveCSS('text-decoration-line', 'underline')
  await expect(findChip('Medium')).toHaveCSS('text-decoration-line', 'none')
})

test('touch: every control is at least 44 px high, and 44 px wide if it has no text, on a touch screen', async ({
  browser,
}) => {
  const context = await browser.newContext({ hasTouch: true, isMobile: true })
  const visitor = await context.newPage()
  const [alert] = await createTestClient(product.url).call('publicAlerts', { query: { limit: 1 } })
  for (const path of ['/', '/auth?tab=sign-up', '/track-record', `/a/${alert?.logIndex}`]) {
    await visitor.goto(product.url + path, { waitUntil: 'networkidle' })
    await expectLargeTargets(visitor, path)
  }
  await visitor.close()
  const page = await openConnectedPage(context, 7)
  for (const [path, landmark] of [...traderScreens, ['/assets/BTC-USDT', /BTC\/USDT/]] as const) {
    await visit(page, product.url, path)
    await expect(page.getByText(landmark).first()).toBeAttached()
    await waitForData(page)
    await expectLargeTargets(page, path)
  }
  await context.close()
})

test('touch: the controls of dialogs, the sheet of an alert and the command palette are at least 44 px high', async ({
  browser,
}) => {
  const page = await (await browser.newContext({ hasTouch: true, isMobile: true })).newPage()
  const wallet = await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 7 })
  await startSession(page.context(), product.url, product.trader)
  await page.goto(`${product.url}/dashboard`)
  const dialog = page.getByRole('dialog')

  await page.getByRole('main').getByRole('button', { name: 'Connect Wallet' }).click()
  await dialog.getByText('I have no wallet').click()
  await expectLargeTargets(page, 'the wallets')
  await dialog.getByRole('button', { name: 'Scripted Wallet' }).click()
  await expect(dialog).toHaveCount(0)

  await page.locator('[data-alert-row]').first().click()
  await expect(dialog.getByRole('link', { name: 'Check proof' })).toBeVisible()
  await expectLargeTargets(page, 'an alert as a sheet')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog).toHaveCount(0)

  await page.getByRole('button', { name: 'Select Plan: 6 hours, 10 ITO' }).click()
  wallet.rejectNext('personal_sign', { code: 4100, message: 'The account is locked' })
  await dialog.getByRole('button', { name: /Verify wallet and pay/ }).click()
  await dialog.getByText('Technical details').click()
  await expectLargeTargets(page, 'a payment that failed')
  await closeByEscape(dialog)

  // The shortcuts are loaded together with the toasts, when the browser is idle.
  await expect(page.getByRole('region', { name: /^Market alerts/ })).toBeAttached()
  await page.keyboard.press('ControlOrMeta+k')
  await expect(dialog.getByRole('combobox')).toBeVisible()
  await expectLargeTargets(page, 'the command palette')
  await closeByEscape(dialog)

  await page.getByRole('button', { name: 'Subscribe' }).first().click()
  await expect(dialog.getByRole('button', { name: 'Select Plan' }).first()).toBeVisible()
  await expectLargeTargets(page, 'the plans')
  await closeByEscape(dialog)

  for (const name of ['Change name', 'Delete my account']) {
    await visit(page, product.url, '/settings')
    await page.getByRole('button', { name }).click()
    await expect(dialog).toBeVisible()
    await expectLargeTargets(page, `the dialog “${name}”`)
    await closeByEscape(dialog)
  }
})

test('touch: the controls of the admin area and of the share dialog are at least 44 px high', async ({ browser }) => {
  const page = await (await browser.newContext({ hasTouch: true, isMobile: true })).newPage()
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 7, isConnected: true })
  await startSession(page.context(), product.url, product.admin)
  for (const [path, landmark] of adminPages) {
    await visit(page, product.url, path)
    await expect(page.getByText(landmark).first()).toBeAttached()
    await waitForData(page)
    // Also check a window of 1180 px: from 1024 px on, tables have column headings that sort them.
    await expectLargeTargets(page, path, [...touchSizes, { width: 1180, height: 820 }])
  }
  const dialog = page.getByRole('dialog')
  await page.goto(`${product.url}/notifications`)
  await page.locator('[data-alert-row]').first().click()
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await expect(dialog).toBeVisible()
  await expectLargeTargets(page, 'the share dialog')
})

test('access: the content of a new alert is never sent to the browser when the account has no plan', async ({
  browser,
}) => {
  const page = await openPage(browser)
  const receivedBodies: string[] = []
  page.on('response', async (response) => {
    if (response.url().includes('/api/')) receivedBodies.push(await response.text().catch(() => ''))
  })
  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => receivedBodies.push(String(payload))))
  const secret = 'Only subscribers may read this line.'
  await issueAlert(secret)

  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 8, isConnected: true })
  await startSession(page.context(), product.url, product.trader)
  await page.goto(`${product.url}/dashboard`)
  await expect(page.getByText('Subscribers see new alerts at once.').first()).toBeVisible()
  await expect(page.getByText('Measured over the alerts that are public.')).toBeVisible()
  await page.goto(`${product.url}/notifications`)
  await expect(page.getByRole('heading', { name: 'Notifications' })).toBeVisible()

  await expect(page.getByText(secret)).toHaveCount(0)
  expect(receivedBodies.join()).not.toContain(secret)
  expect(receivedBodies.length).toBeGreaterThan(5)
})

test('polling: only status, log head, unread count and subscription are polled, and alerts are fetched when the log grows', async ({
  browser,
}) => {
  const page = await openPage(browser)
  await page.clock.install()
  let size = 12
  const head = await (await page.request.get(`${product.url}/api/log/head`)).json()
  await page.route('**/api/log/head', async (route) => {
    const root = `0x${size.toString(16).padStart(64, '0')}`
    await route.fulfill({ json: { ...head, size, root, anchored: { ...head.anchored, size } } })
  })
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 8, isConnected: true })
  await startSession(page.context(), product.url, product.trader)
  const requestedPaths = new Set<string>()
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/')) requestedPaths.add(pathname.replace(/[\da-f-]{36}$/, ':id'))
  })
  const alwaysPolled = ['/api/alerts/unread', '/api/log/head', '/api/status', '/api/subscriptions/active/:id']
  for (const [path, polled, refetched] of [
    ['/dashboard', alwaysPolled, ['/api/alerts/recent', '/api/alerts/pulse']],
    ['/notifications', alwaysPolled, ['/api/alerts/recent', '/api/alerts/search']],
    ['/transparency', ['/api/log/head'], ['/api/log/stats', '/api/log/checkpoint']],
    ['/', ['/api/log/head'], ['/api/log/stats', '/api/alerts/pulse']],
  ] as const) {
    requestedPaths.clear()
    await page.goto(product.url + path, { waitUntil: 'networkidle' })
    // Wait for the first requests: on a busy machine the network may be idle before the page sends
    // them. Do not compare the requests of the first minute, because parts of the page are loaded
    // only when the browser is idle. None of them may mark an alert as read, although the dashboard
    // shows the newest alert.
    const initialPaths = [...polled, ...refetched]
    await expect.poll(() => initialPaths.every((each) => requestedPaths.has(each)), `${path} loads`).toBe(true)
    expect([...requestedPaths]).not.toContain('/api/alerts/read')
    // Wait for the toasts: the code that refetches after the log has grown is loaded with them,
    // when the browser is idle.
    if (polled === alwaysPolled) await expect(page.getByRole('region', { name: /^Market alerts/ })).toBeAttached()
    await advanceClock(page, 61_000)
    requestedPaths.clear()
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await advanceClock(page, 61_000)
    await expect.poll(() => polled.every((each) => requestedPaths.has(each)), path).toBe(true)
    expect([...requestedPaths].sort(), path).toEqual(polled)
    size += 1
    await advanceClock(page, 31_000)
    await expect
      .poll(() => refetched.every((each) => requestedPaths.has(each)), `${path} refetches when the log grows`)
      .toBe(true)
  }
})

test('admin area: redirects to the admin sign-in and rejects the login when the user is not an admin', async ({
  browser,
}) => {
  const page = await openPage(browser)
  await startSession(page.context(), product.url, product.trader)
  await page.goto(`${product.url}/admin`)
  await expect(page).toHaveURL(/\/admin-auth/)
  await logIn(page, product.trader)
  await expect(page.getByText('Access Denied').first()).toBeVisible()
  await expect(page).toHaveURL(/\/admin-auth/)
})

async function openPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext()
  return context.newPage()
}

/** Opens a page as the trader, whose wallet is connected but not proved. */
async function openConnectedPage(context: BrowserContext, accountIndex: number): Promise<Page> {
  const page = await context.newPage()
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex, isConnected: true })
  await startSession(context, product.url, product.trader)
  return page
}

/** Expects all pictures on /admin to have names, and the revenue chart's name to state figures. */
async function expectNamedCharts(page: Page): Promise<void> {
  const listCharts = () => listPictures(page.getByRole('main'))
  await expect
    .poll(listCharts, 'the name of a chart has its figures')
    .toContainEqual(expect.stringMatching(/^Revenue of the last 30 days by plan: .* [\d,.]+ ITO/))
  expect(await listCharts(), 'every picture has a name').not.toContain('')
}

/** Expects every visible control to have a large enough touch target at these window sizes. */
async function expectLargeTargets(page: Page, name: string, sizes = touchSizes): Promise<void> {
  for (const viewport of sizes) {
    await page.setViewportSize(viewport)
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    // On a busy machine, components that depend on the width are rendered again with a delay.
    await expect.poll(() => page.evaluate(findSmallTargets), `${name} at ${viewport.width} px`).toEqual([])
  }
}

/**
 * Opens a screen at each width and expects no horizontal overflow, no broken words and, in both
 * themes, no axe violations. In the second theme, axe only checks the rules about colors.
 */
async function checkPage(page: Page, path: string, landmark: RegExp): Promise<void> {
  await page.setViewportSize({ width: Math.max(...readingWidths), height: 900 })
  await visit(page, product.url, path)
  await expect(page.getByText(landmark).first()).toBeVisible()
  await waitForData(page)
  for (const width of new Set([...readingWidths, ...widths])) {
    await page.setViewportSize({ width, height: 900 })
    if (widths.includes(width)) {
      const measureOverflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      await expect.poll(measureOverflow, `${path} at ${width} px scrolls sideways`).toBeLessThanOrEqual(0)
    }
    for (const theme of accessibleWidths.includes(width) ? ['dark', 'light'] : []) {
      await page.evaluate((name) => {
        document.documentElement.dataset.theme = name
      }, theme)
      const rules = theme === 'dark' ? undefined : colorRules
      await expect.poll(() => findViolations(page, rules), `${path}, ${theme}, ${width} px`).toEqual([])
    }
    if (!readingWidths.includes(width)) continue
    const listBrokenTexts = () => page.evaluate(findClippedTexts, true)
    await expect.poll(listBrokenTexts, `${path} at ${width} px breaks words or numbers`).toEqual([])
  }
}

async function issueAlert(summary: string): Promise<void> {
  const headers = { 'content-type': 'application/json', origin: product.url }
  const postJson = (path: string, body: object, cookie = '') =>
    fetch(product.url + path, { method: 'POST', headers: { ...headers, cookie }, body: JSON.stringify(body) })
  const session = await postJson('/api/auth/login', product.admin)
  const cookie = session.headers.getSetCookie().map((line) => line.split(';')[0])
  const alert = { asset: 'ETH/USDT', confidence: 90.5, priority: 'high', summary }
  const response = await postJson('/api/alerts', alert, cookie.join('; '))
  expect(response.status).toBe(201)
}
