import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Browser, chromium, type Page } from '@playwright/test'
import { createTestClient } from '@tocsin/testkit'
import { findChromium } from '../../scripts/find-chromium.ts'
import { findClippedTexts } from '../find-clipped-texts.ts'
import { openLocalChain } from '../local-chain.ts'
import { startNewProduct } from '../product.ts'
import { installWallet } from '../scripted-wallet.ts'
import { signIn } from '../shop.ts'
import { listFixtures, type PageState } from './fixtures.ts'

/*
 * Takes screenshots of every route and state in both themes at six widths, writes a page that shows
 * them all, and logs clipped texts:
 * `node --import tsx e2e/pictures/contact-sheet.ts [folder] [pattern of routes and states]`, with
 * `WIDTHS=1280,390` and `THEMES=dark` for a subset. The trader's name and the newest alert have the
 * maximum length and numbers of forty digits, to expose layout problems.
 */

const folder = resolve(process.argv[2] ?? '.cache/contact-sheet')
const pattern = new RegExp(process.argv[3] ?? '')
const widths = (process.env.WIDTHS ?? '1440,1280,1024,768,390,320').split(',').map(Number)
const MAX_HEIGHT = 7_500
const themes: readonly ('dark' | 'light')[] = process.env.THEMES === 'dark' ? ['dark'] : ['dark', 'light']

const publicRoutes = [
  ...['/', '/auth', '/auth?tab=sign-up', '/auth?mode=forgot-password', '/admin-auth', '/documentation'],
  ...['/api-reference', '/api-reference?topic=WebSocket', '/contact-support', '/transparency'],
  ...['/privacy-policy', '/terms-of-service', '/security', '/verify-email', '/reset-password', '/nowhere'],
]
const traderRoutes = ['/dashboard', '/notifications', '/history', '/verification', '/settings', '/settings/channels']
const digits = '1234567890'.repeat(4)
const longName = `Maximiliana Konstantinopolitanskaya-${'x'.repeat(40)} ${digits.slice(0, 22)}`
const longAlert = {
  asset: digits,
  anomalyType: `Liquidation-cascade-${'x'.repeat(60)}`,
  confidence: 99.9,
  regime: `${digits}${digits}`,
  summary: `${digits} left the books of one venue within ${digits} blocks. ${'Words without end '.repeat(30)}`.trim(),
  priority: 'critical',
}
const adminRoutes = ['/admin', '/admin?tab=alerts', '/admin?tab=users']
const fixtures = listFixtures()
/** Disables sticky positioning, which full-page screenshots would show at the wrong position. */
const noStickyCss =
  '.sticky { position: relative !important; inset: auto !important } aside.sticky { height: auto !important }'

const product = await startNewProduct()
const chain = await openLocalChain(product)
// Headless Chromium hints fonts to whole pixels by default, unlike Chromium with a window.
const browser = await chromium.launch({
  executablePath: await findChromium(),
  args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
})
const takenShots: { route: string; theme: string; width: number; file: string }[] = []
let alertId = ''
try {
  await mkdir(folder, { recursive: true })
  for (const theme of themes) {
    const visitor = await openPage(browser, theme)
    await installWallet(visitor, { chainUrl: product.chainUrl, accountIndex: 6 })
    await captureRoutes(visitor, publicRoutes, theme)
    await captureFixtures(visitor, fixtures.visitor(await findPublicAlert()), theme)
    const trader = await openPage(browser, theme)
    await installWallet(trader, { chainUrl: product.chainUrl, accountIndex: 7 })
    await logIn(trader, product.trader)
    await captureFixtures(trader, [{ name: 'dashboard without a wallet', route: '/dashboard' }], theme)
    await connectWallet(trader)
    if (alertId === '') {
      await buyPlan(trader)
      alertId = await createLongAlert()
      await chain.transfer(5, '28')
    } else {
      await trader.getByRole('button', { name: 'Verify this wallet' }).click()
    }
    await trader.getByText('Live', { exact: true }).waitFor()
    await captureRoutes(
      trader,
      [...traderRoutes, `/notifications?alert=${alertId}`, `/verification?alert=${alertId}`],
      theme,
    )
    await captureFixtures(trader, fixtures.trader(alertId), theme)
    await captureFixtures(await openBuyer(theme), fixtures.buyer, theme)
    const admin = await openPage(browser, theme)
    await logIn(admin, product.admin)
    await captureRoutes(admin, adminRoutes, theme)
    const [user] = await sendFromPage(admin, 'GET', `/api/admin/users?search=${product.trader.email}`)
    await captureFixtures(admin, fixtures.admin(user.id), theme)
  }
  await writeFile(join(folder, 'index.html'), renderSheet())
  console.log(`${takenShots.length} pictures: ${join(folder, 'index.html')}`)
} finally {
  await browser.close()
  await product.discard()
}

/** Buys a plan and sets a name of the maximum length. */
async function buyPlan(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Select Plan: 24 hours, 30 ITO' }).click()
  await page.getByRole('button', { name: 'Verify wallet and pay 30 ITO' }).click()
  await page.getByRole('heading', { name: 'Subscription active' }).waitFor()
  await page.keyboard.press('Escape')
  await sendFromPage(page, 'PUT', '/api/account/name', { name: longName })
}

/** Returns the log index of a public alert with an outcome. */
async function findPublicAlert(): Promise<number> {
  const alerts = await createTestClient(product.url).call('publicAlerts', { query: { limit: 100 } })
  const decidedAlert = alerts.find(({ outcome }) => outcome !== undefined)
  if (!decidedAlert) throw new Error('The demo has no public alert with an outcome')
  return decidedAlert.logIndex
}

/** @returns the id of the alert */
async function createLongAlert(): Promise<string> {
  const context = await browser.newContext()
  const admin = await context.newPage()
  await logIn(admin, product.admin)
  const { alert } = await sendFromPage(admin, 'POST', '/api/alerts', longAlert)
  await context.close()
  return alert.id
}

async function connectWallet(page: Page): Promise<void> {
  await page.goto(`${product.url}/dashboard`)
  await page.getByRole('main').getByRole('button', { name: 'Connect Wallet' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Scripted Wallet/ })
    .click()
  await page.getByRole('heading', { name: 'Market Insights Dashboard' }).waitFor()
}

/** Opens a page signed in with a wallet that has no plan. */
async function openBuyer(theme: (typeof themes)[number]): Promise<Page> {
  const account = 20 + themes.indexOf(theme)
  await chain.fund(account, { ito: '100' })
  const signedIn = await signIn({ ...product, chain }, browser, account)
  const page = await openPage(browser, theme)
  await page.context().addCookies(await signedIn.cookies())
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: account })
  await connectWallet(page)
  return page
}

async function logIn(page: Page, credentials: { email: string; password: string }): Promise<void> {
  await page.goto(`${product.url}/privacy-policy`)
  await sendFromPage(page, 'POST', '/api/auth/login', credentials)
}

async function sendFromPage(page: Page, method: string, path: string, body?: object) {
  return page.evaluate(
    async ([requestMethod, url, requestBody]) => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(url, {
        method: requestMethod,
        headers,
        ...(requestBody === null ? {} : { body: requestBody }),
      })
      if (!response.ok) throw new Error(`${requestMethod} ${url}: ${await response.text()}`)
      return response.json()
    },
    [method, path, body ? JSON.stringify(body) : null] as const,
  )
}

async function openPage(chrome: Browser, colorScheme: (typeof themes)[number]): Promise<Page> {
  // The Content Security Policy would block the styles that `page.screenshot` injects.
  const context = await chrome.newContext({ colorScheme, bypassCSP: true })
  return context.newPage()
}

async function captureRoutes(page: Page, routes: readonly string[], theme: string): Promise<void> {
  for (const route of routes.filter((name) => pattern.test(name))) {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(product.url + route, { waitUntil: 'networkidle' })
      await takeScreenshot(page, { name: route, width, theme, isWhole: true })
    }
  }
}

/**
 * Captures each state at all widths. The state is reached once and the window is then resized, as
 * when a phone is rotated.
 */
async function captureFixtures(page: Page, allFixtures: readonly PageState[], theme: string): Promise<void> {
  for (const fixture of allFixtures.filter(({ name }) => pattern.test(name))) {
    const { name, route, reachState, isFullPage = false, maxWidth = Number.POSITIVE_INFINITY } = fixture
    await page.setViewportSize({ width: Math.min(1440, maxWidth), height: 900 })
    await page.goto(product.url + route, { waitUntil: 'networkidle' })
    const actResult = await reachState?.(page).catch((error: Error) => error)
    if (actResult instanceof Error) console.log(`${name}, ${theme}, was not reached: ${actResult.message}`)
    for (const width of widths.filter((px) => px <= maxWidth)) {
      await page.setViewportSize({ width, height: 900 })
      await takeScreenshot(page, { name, width, theme, isWhole: isFullPage })
    }
    await page.unrouteAll({ behavior: 'wait' })
    await page.context().setOffline(false)
  }
}

interface Shot {
  /** The path of a route or the name of a state. */
  name: string
  width: number
  theme: string
  /** Whether to capture the full page instead of the viewport. */
  isWhole: boolean
}

async function takeScreenshot(page: Page, { name, width, theme, isWhole }: Shot): Promise<void> {
  await waitUntilStable(page)
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  if (overflow > 0) console.log(`${name} at ${width} px, ${theme}: ${overflow} px too wide`)
  const clippedTexts = await page.evaluate(findClippedTexts, false)
  for (const text of clippedTexts.filter(isUnintended)) console.log(`${name} at ${width} px, ${theme}: ${text}`)
  const file = `${name.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '') || 'home'}-${theme}-${width}.png`
  const path = join(folder, file)
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  if (isWhole) {
    // Virtualised lists render only the rows near the viewport.
    if (height > MAX_HEIGHT) await page.setViewportSize({ width, height: MAX_HEIGHT })
    // Scroll to the top, because the page restores its scroll position.
    await page.evaluate(() => scrollTo(0, 0))
    await waitUntilStable(page)
  }
  const fullPageOptions = {
    fullPage: true,
    clip: { x: 0, y: 0, width, height: Math.min(height, MAX_HEIGHT) },
    style: noStickyCss,
  }
  await page.screenshot({ path, animations: 'disabled', ...(isWhole ? fullPageOptions : {}) })
  takenShots.push({ route: name, theme, width, file })
}

/** Waits for the re-render after a resize, for the requests that it causes and for their result. */
async function waitUntilStable(page: Page): Promise<void> {
  const waitForTwoFrames = () =>
    page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  await waitForTwoFrames()
  await page.waitForLoadState('networkidle')
  await waitForTwoFrames()
}

/** Returns false for text that is shortened with an ellipsis by design, which is not logged. */
function isUnintended(clippedText: string): boolean {
  return !clippedText.startsWith('shortened')
}

function renderSheet(): string {
  const figures = takenShots.map(
    ({ route, theme, width, file }) =>
      `<figure><a href="${file}"><img src="${file}" width="${Math.round(width / 4)}" loading="lazy"></a><figcaption>${route} · ${theme} · ${width}</figcaption></figure>`,
  )
  const style = 'body{display:flex;flex-wrap:wrap;gap:24px;align-items:start;font:12px system-ui}figure{margin:0}'
  return `<!doctype html><meta charset="utf-8"><title>Contact sheet</title><style>${style}</style>${figures.join('\n')}\n`
}
