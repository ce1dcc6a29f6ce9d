import { expect, type Locator, type Page } from '@playwright/test'
import { alertPulse } from '@tocsin/protocol'
import { expectAccessible } from './accessible.ts'
import { test } from './browser-test.ts'
import { closeByEscape } from './close-dialog.ts'
import { expectLayout } from './expect-layout.ts'
import { holdRequests } from './hold-requests.ts'
import { logIn } from './log-in.ts'
import { findLink, waitForMail } from './outbox.ts'
import { startProduct } from './product.ts'
import { installWallet } from './scripted-wallet.ts'
import { startSession } from './session.ts'
import { waitUntilAnchored } from './shop.ts'
import { tabTo } from './tab-to.ts'
import { expectToastIn, recordToasts } from './toasts.ts'
import { useProduct } from './use-product.ts'

/** Address that receives support messages. */
const supportEmail = 'help@example.com'

const product = useProduct(() => startProduct({ SUPPORT_EMAIL: supportEmail }))

const publicPages: [path: string, heading: RegExp][] = [
  ['/', /Market alarms/],
  ['/documentation', /From sign-up to a verified alert/],
  ['/api-reference', /Every call/],
  ['/contact-support', /How can we help/],
  ['/transparency', /One log/],
  ['/track-record', /Track record/],
  ['/privacy-policy', /Privacy Policy/],
  ['/terms-of-service', /Terms of Service/],
  ['/security', /Security Overview/],
]

const findLastDayRegion = (page: Page) => page.getByRole('region', { name: 'Last 24 hours, UTC' })

test('public pages: have content, a title and metadata when JavaScript is disabled', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  const titles = new Set<string>()
  const descriptions = new Set<string>()
  for (const [path, heading] of publicPages) {
    await page.goto(product.url + path)
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
    await expect(page.getByRole('contentinfo').getByRole('link', { name: 'Terms of Service' })).toBeVisible()
    titles.add(await page.title())
    descriptions.add(await readMetaContent(page, 'name', 'description'))
    await expect(page.locator('link[rel=canonical]')).toHaveAttribute('href', product.url + path)
    expect(await readMetaContent(page, 'property', 'og:url')).toBe(product.url + path)
    expect(await readMetaContent(page, 'property', 'og:image')).toBe(`${product.url}/share.png`)
    if (path === '/') await expectFrontPageLinks(page)
    if (path === '/track-record') await expectTrackRecord(page)
  }
  expect(titles.size).toBe(publicPages.length)
  expect(descriptions.size).toBe(publicPages.length)

  const sitemap = await (await fetch(`${product.url}/sitemap.xml`)).text()
  for (const [path] of publicPages) expect(sitemap).toContain(`<loc>${product.url}${path}</loc>`)
  expect(await (await fetch(`${product.url}/robots.txt`)).text()).toContain(`${product.url}/sitemap.xml`)
  const image = await fetch(`${product.url}/share.png`)
  expect(image.headers.get('content-type')).toBe('image/png')
})

/**
 * Waits for the figures of the track record, which appear after the first anchor, and follows the
 * links from a figure to an alert. JavaScript is disabled.
 */
async function expectTrackRecord(page: Page): Promise<void> {
  await waitUntilAnchored(product.url)
  const figures = page.getByText('As of block')
  await expect.poll(async () => (await page.reload()) && (await figures.count())).toBe(1)
  // Each figure links to the alerts that it counts.
  await page.getByTitle('Alerts: counted').first().click()
  const alerts = page.locator('#alerts')
  await expect(alerts.getByRole('listitem').first()).toBeInViewport()
  await alerts.getByRole('link', { name: /^#/ }).first().click()
  await expect(page).toHaveURL(/\/a\/\d+$/)
  await page.goBack()
}

async function expectFrontPageLinks(page: Page): Promise<void> {
  await expect(findLastDayRegion(page).locator('noscript')).toBeVisible()
  await expect(page.locator('section[id=features]').getByRole('heading', { level: 3 })).toHaveCount(4)
  const readHrefs = (links: Locator) => links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))
  const plans = page.getByRole('link', { name: /^Select Plan/ })
  await expect(plans).toHaveText(['Select Plan', 'Select Plan', 'Select Plan'])
  expect(await readHrefs(plans)).toEqual(['/dashboard?plan=6h', '/dashboard?plan=24h', '/dashboard?plan=3d'])
  expect(await readHrefs(page.getByRole('contentinfo').getByRole('link'))).toEqual([
    '/dashboard',
    '/track-record',
    '/transparency',
    '/admin',
    '/documentation',
    '/api-reference',
    '/contact-support',
    '/privacy-policy',
    '/terms-of-service',
    '/security',
  ])
  await expect(page.getByRole('banner').getByRole('link', { name: 'Log in' })).toHaveAttribute('href', '/auth')
}

test('API reference: expands a call when the URL has its fragment', async ({ page }) => {
  await page.goto(`${product.url}/api-reference?topic=Alerts#get-api-log-entries`)
  const call = page.getByRole('button', { name: /GET\s+\/api\/log\/entries/ })
  await expect(call).toHaveAttribute('aria-expanded', 'true')
  await expect(call).toBeInViewport()
})

test('documentation: the verify command contains the signer, contract and chain of this site, without loading the app', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const scripts: string[] = []
  page.on('request', (request) => request.resourceType() === 'script' && scripts.push(new URL(request.url()).pathname))
  await page.goto(`${product.url}/documentation`)
  const { firstSigner, anchor } = await (await page.request.get(`${product.url}/api/config`)).json()
  const command = page.getByRole('main').locator('code').filter({ hasText: 'npm run verify' })
  await expect(command).toContainText(`--first-signer ${firstSigner}`)
  await expect(command).toContainText(`--contract ${anchor.contract}`)
  await page.getByRole('button', { name: 'Copy command' }).click()
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`--chain-id ${anchor.chainId}`)
  expect(scripts).toContainEqual(expect.stringMatching('/assets/site-'))
  expect(scripts.filter((script) => script.startsWith('/assets/app-'))).toEqual([])
})

test('not found: responds with 404 and a "Page Not Found" page when the path is unknown', async ({ page }) => {
  const response = await page.goto(`${product.url}/nowhere`)
  expect(response?.status()).toBe(404)
  await expect(page.getByRole('heading', { name: 'Page Not Found' })).toBeVisible()
  await expect(page).toHaveTitle('Page Not Found · Tocsin')
  await page.getByRole('link', { name: 'Go to the home page' }).click()
  await expect(page.getByRole('heading', { name: /Market alarms/ })).toBeVisible()
})

test('public pages: hydrate without console messages or layout shift, lead the first Tab to "Skip to content", print in the light theme, are accessible and do not overflow at 320 px or at 200 % zoom', async ({
  browser,
}) => {
  // Allow the service worker, because Playwright reports a blocked one as a warning.
  const context = await browser.newContext({ serviceWorkers: 'allow', colorScheme: 'dark' })
  const page = await context.newPage()
  const consoleMessages: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') consoleMessages.push(message.text())
  })
  page.on('pageerror', (error) => consoleMessages.push(error.message))
  // Cache the fonts first. On a first visit, a font can arrive after the first layout, which
  // Chromium counts as a layout shift even if no text was painted.
  await page.goto(product.url, { waitUntil: 'networkidle' })
  await page.addInitScript(() => {
    new PerformanceObserver((list) => {
      const movedNodes = list.getEntries().flatMap((entry) => {
        const { sources } = entry as PerformanceEntry & { sources: { node: Node | null }[] }
        return sources.map(({ node }) => `${node?.nodeName}: ${node?.textContent?.slice(0, 60)}`)
      })
      document.documentElement.dataset.moved = [document.documentElement.dataset.moved ?? '', ...movedNodes].join('; ')
    }).observe({ type: 'layout-shift', buffered: true })
  })
  for (const [path, heading] of publicPages) {
    await test.step(path, async () => {
      await page.goto(product.url + path, { waitUntil: 'networkidle' })
      await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
      // The layout of these pages shifts, because their length depends on data that they load.
      if (!['/transparency', '/track-record', '/api-reference'].includes(path))
        expect(await page.evaluate(() => document.documentElement.dataset.moved), path).toBeUndefined()
      await page.keyboard.press('Tab')
      await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
      await page.keyboard.press('Enter')
      await expect(page.getByRole('main')).toBeFocused()
      if (path === '/') await expectLightWhenPrinted(page)
      await page.emulateMedia({ reducedMotion: 'reduce' })
      await expectLayout(page, path)
      await expectNoOverflow(page, path)
      await expectAccessible(page, path, [
        { theme: 'dark', width: 1440 },
        { theme: 'light', width: 1440 },
        { theme: 'dark', width: 390 },
        { theme: 'light', width: 390 },
      ])
      await page.emulateMedia({ reducedMotion: null })
    })
  }
  expect(consoleMessages).toEqual([])
  await context.close()
})

for (const target of ['content', 'link'] as const) {
  test(`public pages: keep the focus on a ${target} when the app replaces the prerendered page`, async ({ page }) => {
    const release = await holdRequests(page, '**/assets/record-*.js')
    await page.goto(`${product.url}/track-record`, { waitUntil: 'domcontentloaded' })
    const main = page.getByRole('main')
    await main.evaluate((element) => element.setAttribute('data-prerendered', ''))
    const focused = target === 'content' ? main : page.getByRole('banner').getByRole('link', { name: 'Transparency' })
    if (target === 'link') await focused.focus()
    else {
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
    }
    await expect(focused).toBeFocused()
    await expect(main).toHaveAttribute('data-prerendered')
    release()
    await expect(page.locator('[data-prerendered]')).toHaveCount(0)
    await expect(focused).toBeFocused()
  })
}

async function expectLightWhenPrinted(page: Page): Promise<void> {
  const readBackgroundColor = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const darkBackground = await readBackgroundColor()
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')))
  expect(await page.locator('html').getAttribute('data-theme')).toBe('light')
  expect(await readBackgroundColor()).not.toBe(darkBackground)
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')))
  expect(await readBackgroundColor()).toBe(darkBackground)
}

/** Expects no horizontal overflow. A window of 1440 px at 200 % zoom is 720 CSS pixels wide. */
async function expectNoOverflow(page: Page, path: string): Promise<void> {
  for (const width of [720, 320]) {
    await page.setViewportSize({ width, height: 900 })
    const measureOverflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    await expect.poll(measureOverflow, `${path} at ${width} px scrolls sideways`).toBeLessThanOrEqual(0)
  }
}

test('public pages and sign-in: work when the browser blocks all storage', async ({ browser }) => {
  const context = await browser.newContext({ reducedMotion: 'no-preference' })
  await context.addInitScript(() => {
    const denyStorage = () => {
      throw new DOMException('Access is denied for this document.', 'SecurityError')
    }
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) {
      Object.defineProperty(window, name, { get: denyStorage })
    }
    Object.assign(window, { BroadcastChannel: denyStorage })
  })
  const page = await context.newPage()
  const pageErrors: string[] = []
  page.on('pageerror', (error) => pageErrors.push(error.message))
  const loginPages: typeof publicPages = [
    ['/auth', /Log in to Tocsin/],
    ['/dashboard', /Log in to Tocsin/],
  ]
  for (const [path, heading] of [...publicPages, ...loginPages]) {
    await page.goto(product.url + path, { waitUntil: 'networkidle' })
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
  }
  await logIn(page, product.trader)
  await expect(page.getByRole('button', { name: 'Connect Wallet' })).toBeVisible()
  expect(pageErrors).toEqual([])
  await context.close()
})

test('front page: verifies a public alert and reports a failed check when one character is changed', async ({
  page,
}) => {
  // Enable animations, with which the steps of the check appear one after the other.
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  const panel = page.getByRole('region', { name: 'Public alert' })
  await page.route('**/api/alerts/public?*', (route) => route.fulfill({ json: [] }))
  await page.goto(product.url)
  await expect(panel.getByText('No alert is public yet.')).toBeVisible()
  await page.unrouteAll({ behavior: 'wait' })
  const release = await holdRequests(page, '**/api/alerts/public?*')
  await page.reload()
  await expect(panel.getByText('Loading the newest public alert…')).toBeVisible()
  release()
  await expect(panel.getByText('Not checked yet')).toBeVisible()
  const urgentAlerts: unknown[] = await (
    await page.request.get(`${product.url}/api/alerts/public?minPriority=high`)
  ).json()
  if (urgentAlerts.length > 0) await expect(panel.getByText(/^(Critical|High)$/)).toBeVisible()
  await panel.getByRole('button', { name: 'Verify', exact: true }).click()
  await expect(panel.getByText('Verified', { exact: true })).toBeVisible()
  await expect(panel.getByRole('listitem').filter({ hasText: 'passed' })).toHaveCount(6)

  await panel.getByRole('button', { name: 'Change one character' }).click()
  await expect(panel.getByText('Failed at step 1')).toBeVisible()
  await expect(panel.getByRole('listitem').filter({ hasText: 'not run' })).toHaveCount(5)
  await expectAccessible(page, 'the front page with a failed check')
})

test('front page: shows the alerts of the last 24 hours, or "Not available" when the request fails', async ({
  page,
}) => {
  const pulseResponse = page.waitForResponse('**/api/alerts/pulse')
  await page.goto(product.url)
  const { items, counts } = alertPulse.parse(await (await pulseResponse).json())
  expect(items.length).toBeGreaterThan(0)
  const { critical, high, medium, low } = counts
  const total = critical + high + medium + low
  const alerts = total === 1 ? '1 alert' : `${total} alerts`
  const summary = `${alerts}. Time and priority are public at once, the rest after 24 hours.`
  await expect(findLastDayRegion(page).getByText(summary)).toBeVisible()
  const kinds = `${critical} critical, ${high} high, ${medium} medium, ${low} low`
  const chart = findLastDayRegion(page).getByRole('img', { name: `${alerts} in the last 24 hours: ${kinds}.` })
  await expect(chart.locator('use')).toHaveCount(items.length)

  await page.route('**/api/alerts/pulse', (route) => route.abort())
  await page.reload()
  await expect(findLastDayRegion(page).getByText('Not available right now.')).toBeVisible()
  await expect(chart).toHaveCount(0)
})

test('theme: changes without animation when reduced motion is preferred', async ({ browser }) => {
  const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  await page.goto(`${product.url}/documentation`, { waitUntil: 'networkidle' })
  const animationCount = await page.evaluate(() => {
    const { dataset } = document.documentElement
    dataset.theme = dataset.theme === 'light' ? 'dark' : 'light'
    return document.getAnimations().length
  })
  expect(animationCount).toBe(0)
  await page.context().close()
})

test('contact form: validates, sends email, applies the rate limit and keeps the input when sending fails', async ({
  page,
}) => {
  await recordToasts(page.context())
  await page.goto(`${product.url}/contact-support`)
  const sendButton = page.getByRole('button', { name: 'Send message' })
  await sendButton.click()
  await expect(page.getByText('Please enter your name')).toBeVisible()
  for (const problem of ['a valid email address', 'a subject', 'a message']) {
    await expect(page.getByText(`Please enter ${problem}`)).toBeVisible()
  }
  await expect(page.getByLabel('Name', { exact: true })).toBeFocused()
  await expectAccessible(page, 'the support form with all errors')

  await page.getByLabel('Name', { exact: true }).fill('Ida Inquirer')
  await page.getByLabel('Email').fill('ida@')
  await page.getByLabel('Subject').fill('Where is my plan?')
  await page.getByLabel('Category').selectOption({ label: 'Billing' })
  await page.getByRole('textbox', { name: 'Message' }).fill('I paid at noon.\n\nThe chain has it.')
  await sendButton.click()
  await expect(page.getByText('Please enter a valid email address')).toBeVisible()
  await expect(page.getByText('Please enter your name')).toHaveCount(0)

  await page.getByLabel('Email').fill('ida@example.com')
  await page.route('**/api/support', (route) => route.abort())
  await sendButton.click()
  await expectToastIn(page, 'Error', 'Your message could not be sent. Please try again.')
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue(/I paid at noon/)
  await page.unroute('**/api/support')

  await sendButton.click()
  await expectToastIn(page, 'Message Sent', '')
  for (const field of await page.getByRole('main').getByRole('textbox').all()) await expect(field).toHaveValue('')
  await expect(page.getByLabel('Category')).toHaveValue('')
  const mail = await waitForMail(product, supportEmail, /Where is my plan\?/)
  expect(mail.text).toContain('The chain has it.')
  expect(mail.text).toContain('ida@example.com')

  const headers = { 'content-type': 'application/json', origin: product.url }
  const body = JSON.stringify({ name: 'Ida', email: 'ida@example.com', subject: 'Again', message: 'And again.' })
  const postMessage = () => fetch(`${product.url}/api/support`, { method: 'POST', headers, body })
  const statuses: number[] = []
  for (let messageCount = 1; messageCount < 6; messageCount += 1) statuses.push((await postMessage()).status)
  expect(statuses).toEqual([200, 200, 200, 200, 429])
  await page.getByLabel('Name', { exact: true }).fill('Ida Inquirer')
  await page.getByLabel('Email').fill('ida@example.com')
  await page.getByLabel('Subject').fill('Once more')
  await page.getByRole('textbox', { name: 'Message' }).fill('One too many.')
  await sendButton.click()
  await expectToastIn(page, 'Error', 'Too many messages in an hour. Please try again later.')
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('One too many.')
})

test('API reference: sends calls with the current session and asks for confirmation when a call writes data', async ({
  page,
}) => {
  await startSession(page.context(), product.url, product.trader)
  await page.goto(product.url)
  const header = page.getByRole('banner')
  await expect(header.getByRole('link', { name: 'Dashboard' })).toHaveAttribute('href', '/dashboard')
  await expect(header.getByRole('link', { name: 'Log in' })).toBeHidden()
  await page.goto(`${product.url}/api-reference?topic=Users`)
  await page.getByRole('button', { name: /PUT\s+\/api\/account\/name/ }).click()
  const call = page.getByRole('region', { name: 'Try it on this server' })
  await expect(call.getByText(/^Sent as /)).toBeVisible()
  await call.getByLabel('Body').fill('{ "name": "Jonas Renamed" }')
  await call.getByRole('button', { name: 'Send PUT' }).click()
  const confirmation = page.getByRole('alertdialog')
  await expect(confirmation).toContainText('Changes made by PUT /api/account/name are permanent')
  await expect(confirmation.getByRole('button', { name: 'Send it' })).toBeFocused()
  await expectAccessible(page, 'the confirmation of a write')
  await page.keyboard.press('Escape')
  await expect(call.getByRole('button', { name: 'Send PUT' })).toBeFocused()
  expect(await readAccountName(page)).not.toBe('Jonas Renamed')

  await call.getByRole('button', { name: 'Send PUT' }).click()
  await confirmation.getByRole('button', { name: 'Send it' }).click()
  await expect(call.getByLabel('200 OK')).toHaveValue(/"success": true/)
  expect(await readAccountName(page)).toBe('Jonas Renamed')

  await call.getByLabel('Body').fill('{ "name": ')
  await call.getByRole('button', { name: 'Send PUT' }).click()
  await confirmation.getByRole('button', { name: 'Send it' }).click()
  await expect(call.getByLabel('Not sent')).toHaveValue('The body is not JSON.')
})

const readAccountName = (page: Page): Promise<string> =>
  page.evaluate(async () => (await (await fetch('/api/auth/user')).json()).user.name)

test('keyboard: sign-up, purchase and verification of an alert work without a mouse', async ({ page }) => {
  const email = 'keyboard@example.com'
  const password = 'no mouse was ever near this'
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 9 })
  await page.goto(product.url)
  await pressByKeyboard(page, 'link', 'Log in')
  await tabTo(page.getByRole('tab', { name: 'Log in' }), 100)
  await page.keyboard.press('ArrowRight')
  await expect(page).toHaveURL(/tab=sign-up/)
  await typeInto(page, 'Name', 'Kim Keys')
  await typeInto(page, 'Email', email)
  await typeInto(page, 'Password', password)
  await typeInto(page, 'Confirm password', password)
  await page.keyboard.press('Enter')
  await page.goto(findLink('/verify-email', await waitForMail(product, email, /./)))
  await pressByKeyboard(page, 'link', 'Continue')

  await pressByKeyboard(page, 'button', 'Connect Wallet')
  await pressByKeyboard(page, 'button', /Scripted Wallet/)
  await pressByKeyboard(page, 'button', 'Select Plan: 6 hours, 10 ITO')
  await pressByKeyboard(page, 'button', 'Verify wallet and pay 10 ITO')
  await expect(page.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  await closeByEscape(page.getByRole('dialog'))
  await pressByKeyboard(page, 'link', 'Verification')
  await pressByKeyboard(page, 'button', 'Choose from my alerts')
  // Choose an older alert, because the newest one may not be anchored yet.
  await tabTo(page.getByRole('dialog').getByRole('listitem').nth(3).getByRole('button'), 100)
  await page.keyboard.press('Enter')
  await pressByKeyboard(page, 'button', 'Verify alert')
  await expect(page.getByText('Verified', { exact: true }).first()).toBeVisible()
})

/** Presses Tab until the control has focus, then Enter. */
async function pressByKeyboard(page: Page, role: 'link' | 'button', name: string | RegExp): Promise<void> {
  await tabTo(page.getByRole(role, { name }).first(), 100)
  await page.keyboard.press('Enter')
}

async function typeInto(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page.getByLabel(label, { exact: true }), 100)
  await page.keyboard.type(text)
}

async function readMetaContent(page: Page, kind: 'name' | 'property', name: string): Promise<string> {
  return (await page.locator(`meta[${kind}="${name}"]`).getAttribute('content')) ?? ''
}
