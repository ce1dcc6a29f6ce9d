import { loadavg } from 'node:os'
import type { Page } from '@playwright/test'
import { logIn } from '../e2e/log-in.ts'
import { startNewProduct } from '../e2e/product.ts'
import { connectScriptedWallet, installWallet } from '../e2e/scripted-wallet.ts'
import { describeMachine } from '../scripts/describe-machine.ts'
import { launchChromium } from './launch-chromium.ts'

/**
 * Measures when the parts of the dashboard are shown on a slow network with an empty cache: the
 * heading ("words"), the skeleton of the list, the newest alerts, and the chart and the proof of
 * the open alert. Fails if the chart or the proof appears before the alerts, or the alerts before
 * the heading. Starts a new demo. Run `npm run build` first.
 * Usage: node --import tsx bench/slow-network.ts
 */

/** Presets of the browser's developer tools. Latency is in ms, throughput in bytes per second. */
const networks = {
  'Fast 3G': { latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 },
  'Slow 3G': { latency: 2_000, downloadThroughput: 50_000, uploadThroughput: 50_000 },
}
const parts = ['words', 'skeleton', 'alerts', 'chart', 'proof'] as const
type Times = { [part in (typeof parts)[number]]?: number }

const browser = await launchChromium()
const product = await startNewProduct({ DEMO_MARKET: 'simulated' })
let hasFailed = false
try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: 'block' })
  const page = await context.newPage()
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 9 })
  await page.goto(`${product.url}/auth`)
  await logIn(page, product.admin)
  await connectScriptedWallet(page)
  await page.locator('[data-alert-row]').first().waitFor()
  await page.addInitScript(recordTimes)
  const devTools = await context.newCDPSession(page)
  await devTools.send('Network.enable')
  await devTools.send('Network.setCacheDisabled', { cacheDisabled: true })
  console.log(`${describeMachine()}, Chromium ${browser.version()}`)
  for (const [name, conditions] of Object.entries(networks)) {
    await devTools.send('Network.emulateNetworkConditions', { offline: false, ...conditions })
    printTimes(name, await measureReload(page))
  }
} finally {
  await browser.close()
  await product.discard()
}
process.exitCode = hasFailed ? 1 : 0

async function measureReload(page: Page): Promise<Times> {
  await page.reload({ waitUntil: 'commit', timeout: 120_000 })
  const readPartTimes = () => page.evaluate(() => (window as unknown as { partTimes: Times }).partTimes)
  await page.waitForFunction(
    (count) => Object.keys((window as unknown as { partTimes: Times }).partTimes).length === count,
    parts.length,
    { timeout: 180_000, polling: 500 },
  )
  return readPartTimes()
}

/** Runs in the page: records when each part first appears in a frame, in ms since navigation. */
function recordTimes(): void {
  const times: Times = {}
  Object.assign(window, { partTimes: times })
  const isShown = (selector: string) => (document.querySelector(selector)?.getClientRects().length ?? 0) > 0
  const readDetailText = () => document.querySelector('[data-detail]')?.textContent ?? ''
  const recordShownParts = () => {
    const now = Math.round(performance.now())
    if (isShown('h1')) times.words ??= now
    if (isShown('[role=status][aria-label]')) times.skeleton ??= now
    if (isShown('[data-alert-row]')) times.alerts ??= now
    if (isShown('[data-detail] canvas')) times.chart ??= now
    if (readDetailText().includes('Verified')) times.proof ??= now
    requestAnimationFrame(recordShownParts)
  }
  requestAnimationFrame(recordShownParts)
}

function printTimes(name: string, times: Times): void {
  const { words = 0, alerts = 0, chart = 0, proof = 0 } = times
  const isInOrder = words < alerts && alerts < chart && alerts < proof
  hasFailed ||= !isInOrder
  const formatPart = (part: (typeof parts)[number]) => `${part} ${((times[part] ?? 0) / 1_000).toFixed(1)} s`
  console.log(
    `${name}: ${parts.map(formatPart).join(', ')}; load average ${loadavg()[0]?.toFixed(1)}${isInOrder ? '' : '  WRONG ORDER'}`,
  )
}
