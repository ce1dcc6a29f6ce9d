import { type Browser, type BrowserContextOptions, expect, type Page, type WebSocketRoute } from '@playwright/test'
import { expectAccessible } from './accessible.ts'
import { test } from './browser-test.ts'
import { closeByEscape } from './close-dialog.ts'
import { logIn } from './log-in.ts'
import { type Product, startProduct } from './product.ts'
import { installWallet } from './scripted-wallet.ts'

let product: Product
/** The admin hears the stream without a plan, and writes what is heard. */
let adminCookie: string

test.beforeAll(async () => {
  product = await startProduct()
  const session = await post('/api/auth/login', product.admin)
  adminCookie = session.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  await stopFeed()
})
test.afterAll(async () => {
  await product?.discard()
})
test.afterEach(async () => {
  await send('PUT', '/api/settings/preferences', defaults)
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
}
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

test('a desktop and a phone side by side show each alert at once, stack three toasts and count the rest', async ({
  browser,
}) => {
  const [desktop, mobile] = await Promise.all([openDashboard(browser), openDashboard(browser, phone)])
  const toasts = toastsOf(desktop)
  for (const at of [1, 2, 3]) await issue(`Burst ${at}`, 'medium')
  await expect(toasts.getByRole('listitem')).toHaveCount(3)
  await toasts.hover()
  await issue('Burst 4', 'critical')
  await expect(toasts.getByText('+1 more in the list')).toBeVisible()
  await expect(toasts.getByRole('listitem')).toHaveCount(3)
  await expect(toasts.getByText('Burst 4')).toBeVisible()
  await expect(toastsOf(mobile).getByText('Burst 4')).toBeVisible()
  await expect(toastsOf(mobile).getByText(/\+\d more in the list/)).toBeVisible()
  for (const page of [desktop, mobile]) await expect(rowOf(page, 'Burst 4')).toBeVisible()
  await expect(regionOf(desktop, 'assertive')).toHaveText(/^Critical alert: ETH\/USDT, Volume spike/)
  await expect(regionOf(desktop, 'polite')).toHaveText(/new alerts?/)

  // Held as long as somebody points there; eight seconds once nobody does.
  await expect(toastsOf(mobile).getByRole('listitem')).toHaveCount(0)
  await expect(toasts.getByRole('listitem')).toHaveCount(3)
  await expectAccessible(desktop, 'the dashboard with toasts')
  await desktop.mouse.move(300, 850)
  await expect(toasts.getByRole('listitem')).toHaveCount(0)

  await mobile.getByRole('button', { name: /Burst 4/ }).tap()
  await expect(mobile.getByRole('link', { name: 'Check proof' }).first()).toBeVisible()
})

test('what is being read never moves: pointing, pausing and an open row hold the list, and a pill counts', async ({
  browser,
}) => {
  const page = await openDashboard(browser)
  await issue('First', 'low')
  const top = topRow(page)
  await expect(top).toContainText('First')
  await top.hover()
  await issue('Second', 'low')
  await issue('Third', 'low')
  await expect(page.getByRole('button', { name: '2 new' })).toBeVisible()
  await expect(top).toContainText('First')
  await page.mouse.move(300, 10)
  await expect(top).toContainText('Third')

  await page.keyboard.press('p')
  await expect(page.getByRole('button', { name: 'Resume' })).toHaveAttribute('aria-pressed', 'true')
  await issue('Fourth', 'low')
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible()
  await expect(top).toContainText('Third')
  await expectAccessible(page, 'a paused dashboard')
  await page.keyboard.press('.')
  await expect(top).toContainText('Fourth')
  await expect(page.getByRole('button', { name: 'Resume' })).toBeVisible()
  await page.getByRole('button', { name: 'Resume' }).click()

  await page.keyboard.press('j')
  await expect(page.getByRole('button', { name: /Fourth/ })).toBeFocused()
  await page.keyboard.press('Enter')
  await issue('Fifth', 'low')
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible()
  await expect(top).toContainText('Fourth')
})

test('an alert that was forged on its way is marked, never announced as one, and a warning says so', async ({
  browser,
}) => {
  const routed = await routeSocket(browser)
  const { page } = routed
  const lie = 'Sell everything now.'
  routed.forge((frame) => frame.replace('Genuine words', lie))
  await issue('Genuine words', 'critical')
  await expect(page.getByText('An alert failed its check').first()).toBeVisible()
  await expect(regionOf(page, 'assertive')).toContainText('An alert failed its check')
  await expect(rowOf(page, lie).getByText('Proof failed')).toBeVisible()
  await expect(toastsOf(page).getByText(lie)).toHaveCount(0)
  await expect(regionOf(page, 'assertive')).not.toContainText('Critical alert')
  await expectAccessible(page, 'a dashboard with a forged alert')

  // What comes after it, and through, is announced as ever.
  routed.forge((frame) => frame)
  await issue('Untouched words', 'high')
  await expect(toastsOf(page).getByText('Untouched words')).toBeVisible()
  await expect(rowOf(page, 'Untouched words').getByText('Proof failed')).toHaveCount(0)
})

test('what came in while the page was away is told of once, without a toast for each and without sound', async ({
  browser,
}) => {
  await send('PUT', '/api/settings/preferences', { sound: true, soundFrom: 'low' })
  const routed = await routeSocket(browser)
  const { page } = routed
  const strokes = await countStrokes(page)
  await routed.cut()
  await expect(page.getByRole('region', { name: 'System status' })).toContainText('WebSocketDisconnected')
  for (const at of [1, 2, 3]) await issue(`Missed ${at}`, 'high')
  routed.mend()
  await expect(page.getByText('Caught up: 3 alerts').first()).toBeVisible()
  await expect(rowOf(page, 'Missed 3')).toBeVisible()
  await expect(toastsOf(page).getByRole('listitem')).toHaveCount(0)
  expect(await strokes()).toBe(0)

  await issue('Heard', 'high')
  await expect(toastsOf(page).getByText('Heard')).toBeVisible()
  await expect.poll(strokes).toBeGreaterThan(0)
  const heard = await strokes()
  await page.keyboard.press('m')
  await expect(page.getByRole('button', { name: 'Unmute sound (m)' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Unmute sound (m)' })).toHaveAttribute('aria-pressed', 'true')
  await issue('Not heard', 'critical')
  await expect(toastsOf(page).getByText('Not heard')).toBeVisible()
  expect(await strokes()).toBe(heard)
})

test('preferences start as specified, are the account’s on every device, and are taken back when they can’t be saved', async ({
  browser,
}) => {
  const [one, other] = await Promise.all([openDashboard(browser), openDashboard(browser)])
  for (const page of [one, other]) {
    await page.getByRole('link', { name: 'Settings' }).click()
    await expect(switchOf(page, 'Real-time alerts')).toBeChecked()
    await expect(switchOf(page, 'Auto-verify signatures')).toBeChecked()
    await expect(switchOf(page, 'High priority only')).not.toBeChecked()
    await expect(switchOf(page, 'Browser notifications')).not.toBeChecked()
    await expect(switchOf(page, 'Sound')).not.toBeChecked()
  }
  await one.getByLabel('Time zone').selectOption('Asia/Tokyo')
  await switchOf(one, 'High priority only').click()
  await expect(one.getByText('GMT+9').first()).toBeVisible()
  await expect.poll(async () => (await savedPreferences()).highPriorityOnly).toBe(true)
  // Nobody turns to the other one: the stream has told it.
  await expect(switchOf(other, 'High priority only')).toBeChecked()
  await expect(other.getByText('GMT+9').first()).toBeVisible()
  await issue('Not read yet', 'low')
  for (const page of [one, other]) await expect(page).toHaveTitle(/^\(\d+\+?\) Settings/)
  await post('/api/alerts/read-all', { upTo: Number.MAX_SAFE_INTEGER })
  for (const page of [one, other]) await expect(page).toHaveTitle(/^Settings/)
  await expectAccessible(one, 'the settings')

  await one.route('**/api/settings/preferences', (route) => route.fulfill({ status: 503, body: '' }))
  await switchOf(one, 'Auto-verify signatures').click()
  await expect(one.getByText('Setting Not Saved').first()).toBeVisible()
  await expect(switchOf(one, 'Auto-verify signatures')).toBeChecked()
  await one.unroute('**/api/settings/preferences')

  await one.getByRole('link', { name: 'Dashboard' }).click()
  await issue('Only in the list', 'medium')
  await issue('High enough', 'high')
  await expect(toastsOf(one).getByText('High enough')).toBeVisible()
  await expect(rowOf(one, 'Only in the list')).toBeVisible()
  await expect(toastsOf(one).getByRole('listitem')).toHaveCount(1)

  await one.getByRole('link', { name: 'Settings' }).click()
  await switchOf(one, 'Real-time alerts').click()
  await one.getByRole('link', { name: 'Dashboard' }).click()
  await expect(one.locator('#page').getByText('Real-time alerts off').first()).toBeVisible()
  await issue('Without a word', 'critical')
  await one.getByRole('button', { name: 'Refresh', exact: true }).click()
  await expect(rowOf(one, 'Without a word')).toBeVisible()
  await expect(toastsOf(one).getByText('Without a word')).toHaveCount(0)
  await one.getByRole('link', { name: 'History' }).click()
  await expect(one.getByText('High priority only on').first()).toBeVisible()
})

test('notifications of the browser: asked for first, shown in the background, and a block is explained', async ({
  browser,
}) => {
  const page = await openDashboard(browser, {}, watchNotifications)
  await page.getByRole('link', { name: 'Settings' }).click()
  await switchOf(page, 'Browser notifications').click()
  await page.getByRole('button', { name: 'Maybe Later' }).click()
  await expect(switchOf(page, 'Browser notifications')).not.toBeChecked()

  await switchOf(page, 'Browser notifications').click()
  await expectAccessible(page, 'the question before the browser’s')
  await answerPermission(page, 'denied')
  await page.getByRole('button', { name: 'Enable' }).click()
  await expect(page.getByText('This browser blocks notifications from this site.').first()).toBeVisible()
  await expect(switchOf(page, 'Browser notifications')).not.toBeChecked()

  await answerPermission(page, 'granted')
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await switchOf(page, 'Browser notifications').click()
  await expect(switchOf(page, 'Browser notifications')).toBeChecked()
  await page.getByRole('button', { name: 'Test' }).click()
  await expect.poll(() => shownNotifications(page)).toEqual(['Test notification'])

  await page.evaluate(() => {
    document.hasFocus = () => false
  })
  await issue('While elsewhere', 'high')
  await expect
    .poll(() => shownNotifications(page))
    .toEqual(['Test notification', 'HIGH ETH/USDT Volume spike: While elsewhere'])
  await page.evaluate(() => {
    const { last } = window as unknown as { last: { onclick: () => void } }
    last.onclick()
  })
  await expect(page).toHaveURL(/\/notifications\?.*alert=/)
})

test('single keys do what the page’s controls do, not while typing, and can be turned off', async ({ browser }) => {
  const page = await openDashboard(browser)
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(help).toBeVisible()
  await expectAccessible(page, 'the help on shortcuts')
  await page.keyboard.press('p')
  await closeByEscape(help)
  await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible()

  await page.keyboard.press('g')
  await page.keyboard.press('v')
  await expect(page).toHaveURL(/\/verification/)
  await page.getByLabel('Alert JSON').fill('')
  await page.getByLabel('Alert JSON').pressSequentially('gd')
  await expect(page).toHaveURL(/\/verification/)
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await expect(page).toHaveURL(/\/settings/)
  await switchOf(page, 'Keyboard shortcuts').click()
  await expect.poll(async () => (await savedPreferences()).shortcuts).toBe(false)
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page).toHaveURL(/\/settings/)
  await page.getByRole('button', { name: 'Show keys' }).click()
  await expect(help).toBeVisible()
})

// ── what the page shows
// ─────────────────────────────────────────────────────────────────────────────────────────────────

const toastsOf = (page: Page) => page.getByRole('region', { name: /Market alerts/ })
const rowOf = (page: Page, summary: string) =>
  page.getByRole('main').getByRole('listitem').filter({ hasText: summary }).first()
const topRow = (page: Page) => page.locator('[data-alert-row]').first()
const switchOf = (page: Page, name: string) => page.getByRole('switch', { name, exact: true })
const regionOf = (page: Page, kind: 'polite' | 'assertive') => page.locator(`[data-live-region="${kind}"]`)

test('a server that cannot see new alerts is shown as delayed, not as disconnected', async ({ browser }) => {
  const routed = await routeSocket(browser)
  const { page } = routed
  const websocket = page.getByRole('region', { name: 'System status' }).getByRole('definition').nth(1)
  await expect(websocket).toHaveText('Connected')
  const logged = page.waitForEvent('console', (message) =>
    message.text().includes('Unknown message on the live socket'),
  )
  routed.say({ type: 'unheard_of' })
  expect((await logged).text()).toContain('unheard_of')
  await expect(websocket).toHaveText('Connected')
  routed.say({ type: 'delayed', since: new Date().toISOString() })
  await expect(websocket).toHaveText(/^Connected\s*New alerts are delayed$/)
  await expect(page.getByRole('banner').getByRole('status')).toContainText('Alerts are delayed')
  routed.say({ type: 'delayed', since: null })
  await expect(websocket).toHaveText('Connected')
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
})

test('an alert toast goes after eight seconds', async ({ browser }) => {
  const page = await openDashboard(browser, {}, (prepared) => prepared.clock.install())
  await page.mouse.move(300, 850)
  await issue('Eight seconds', 'medium')
  const toast = toastsOf(page).getByText('Eight seconds')
  await expect(toast).toBeVisible()
  await page.clock.runFor(6_000)
  await expect(toast).toBeVisible()
  await page.clock.runFor(2_500)
  await expect(toast).toHaveCount(0)
})

/** The admin on the dashboard in a browser of its own, with a proved wallet, live. */
async function openDashboard(
  browser: Browser,
  options: BrowserContextOptions = {},
  prepare: (page: Page) => Promise<void> = async () => {},
): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage()
  await prepare(page)
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 9 })
  await page.goto(`${product.url}/auth`)
  await logIn(page, product.admin)
  await page.getByRole('main').getByRole('button', { name: 'Connect Wallet' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Scripted Wallet' }).click()
  await page.getByRole('button', { name: 'Prove this wallet' }).click()
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  return page
}

/** A dashboard whose socket goes through hands that can change, cut and mend it. */
async function routeSocket(browser: Browser) {
  let forge = (frame: string) => frame
  const opened: WebSocketRoute[] = []
  let mend = () => {}
  let way = Promise.resolve()
  const page = await openDashboard(browser, {}, (prepared) =>
    prepared.routeWebSocket(/\/ws$/, async (route) => {
      await way
      opened.push(route)
      const server = route.connectToServer()
      route.onMessage((message) => server.send(message))
      server.onMessage((message) => route.send(forge(String(message))))
    }),
  )
  return {
    page,
    forge: (next: typeof forge) => {
      forge = next
    },
    /** A message in the server's name. */
    say: (message: object) => opened.at(-1)?.send(JSON.stringify(message)),
    async cut() {
      way = new Promise((resolve) => {
        mend = resolve
      })
      await opened.at(-1)?.close()
      await expect(page.getByText('Reconnecting', { exact: true })).toBeVisible()
    },
    mend: () => mend(),
  }
}

/** Counts the tones that the page makes from now on. */
async function countStrokes(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const counted = window as unknown as { strokes: number }
    counted.strokes = 0
    const { createOscillator } = AudioContext.prototype
    AudioContext.prototype.createOscillator = function () {
      counted.strokes += 1
      return createOscillator.call(this)
    }
  })
  return () => page.evaluate(() => (window as unknown as { strokes: number }).strokes)
}

/**
 * A browser whose person has not answered yet, and that keeps what it would show. Headless ones
 * refuse at once.
 */
async function watchNotifications(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const state = window as unknown as { answer: NotificationPermission; shown: string[]; last: unknown }
    state.answer = 'default'
    state.shown = []
    class Watched {
      static permission: NotificationPermission = 'default'
      static async requestPermission() {
        Watched.permission = state.answer
        return state.answer
      }
      onclick = () => {}
      constructor(title: string, options: NotificationOptions) {
        state.shown.push(options.tag === 'test' ? title : `${title}: ${options.body}`)
        state.last = this
      }
      close() {}
    }
    Object.assign(window, { Notification: Watched })
  })
}
/**
 * What the person says from now on; who blocks a site may also allow it later in the browser's own
 * settings.
 */
const answerPermission = (page: Page, answer: NotificationPermission) =>
  page.evaluate((said) => {
    Object.assign(window, { answer: said })
    if (said === 'granted') Object.assign(Notification, { permission: said })
  }, answer)
const shownNotifications = (page: Page) => page.evaluate(() => (window as unknown as { shown: string[] }).shown)

// ── the server
// ─────────────────────────────────────────────────────────────────────────────────────────────────

function send(method: string, path: string, body?: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', origin: product.url, cookie: adminCookie ?? '' }
  return fetch(product.url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
}
const post = (path: string, body: object) => send('POST', path, body)

async function issue(summary: string, priority: string): Promise<void> {
  const content = { asset: 'ETH/USDT', anomalyType: 'Volume spike', confidence: 97.3, priority, summary }
  expect((await post('/api/alerts', content)).status).toBe(201)
}

async function savedPreferences(): Promise<typeof defaults> {
  return (await send('GET', '/api/settings/preferences')).json()
}

/** The demo's own signals would be counted with ours. */
async function stopFeed(): Promise<void> {
  const config = await (await send('GET', '/api/admin/websocket/config')).json()
  const { externalEndpoint, reconnectInterval, maxRetries } = config
  const off = { externalEndpoint, reconnectInterval, maxRetries, isEnabled: false }
  expect((await send('PUT', '/api/admin/websocket/config', off)).ok).toBe(true)
}
