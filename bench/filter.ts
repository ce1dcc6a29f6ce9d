import { loadavg } from 'node:os'
import { join } from 'node:path'
import type { CDPSession, Page } from '@playwright/test'
import { seedMass } from '@tocsin/demo/mass-seed/mass-seed.ts'
import { startTestChain, startTestDatabase } from '@tocsin/testkit'
import { startTestServer } from '@tocsin/testkit/server'
import { logIn } from '../e2e/log-in.ts'
import { installWallet } from '../e2e/scripted-wallet.ts'
import { describeMachine } from '../scripts/describe-machine.ts'
import { launchChromium } from './launch-chromium.ts'
import { computePercentile } from './percentile.ts'

/**
 * Measures the times from a click on a priority until the page paints the pressed chip, the first
 * rows of the result and the rows of the server's response, and the CPU time of the page's main
 * thread. Run `npm run build` first.
 * Usage: node --import tsx bench/filter.ts [rows = 10000] [slow-down = 4]
 */
const ROWS = Number(process.argv[2] ?? 10_000)
const CPU_SLOWDOWN = Number(process.argv[3] ?? 4)
const CLICKS = Number(process.env.CLICKS ?? 60)
const GOAL_MS = 100
/** Filters to click, each twice in a row: the second click removes the filter. */
const FILTERS = ['Critical', 'High', 'Medium', 'Low']
const PATHS = ['/notifications', '/dashboard']

const browser = await launchChromium()
const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
const webDir = join(import.meta.dirname, '../apps/web/dist')
const server = await startTestServer({ database, chain }, { http: { webDir } })
try {
  await seedMass(server.ctx, { alerts: ROWS, users: 1, payments: 1, destinations: 1 })
  await server.ctx.db.execute('vacuum analyze')
  console.log(
    `${describeMachine()}, Chromium ${browser.version()}; ${ROWS.toLocaleString('en-US')} rows, ${CPU_SLOWDOWN}x CPU slow-down`,
  )
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await installWallet(page, { chainUrl: chain.url, accountIndex: 9, isConnected: true })
  await page.goto(`${server.url}/auth?next=%2Fnotifications`)
  await logIn(page, server.firstAdmin)
  await page.locator('[data-alert-row]').first().waitFor()
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Performance.enable', { timeDomain: 'threadTicks' })
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  for (const path of PATHS) {
    await page.goto(server.url + path)
    await page.locator('[data-alert-row]').first().waitFor()
    await waitUntilIdle(page)
    // tsx adds calls of this helper to functions, and the page does not have it.
    await page.evaluate('globalThis.__name = (named) => named')
    printTimes(path, await measureFilters(page, devTools))
  }
} finally {
  await browser.close()
  await server.close()
  await Promise.all([database.stop(), chain.stop()])
}

/** Milliseconds from the click until each part is painted, and CPU time of the main thread. */
type Times = Record<'chip' | 'rows' | 'answer' | 'cpu', number>

async function measureFilters(page: Page, devTools: CDPSession): Promise<Times[]> {
  const times: Times[] = []
  for (let click = 0; click < CLICKS; click += 1) {
    const name = FILTERS[Math.floor(click / 2) % FILTERS.length] ?? ''
    const cpuMsBefore = await readMainThreadMs(devTools)
    const paintTimes = await page.evaluate(clickAndWait, name)
    await waitUntilIdle(page)
    times.push({ ...paintTimes, cpu: (await readMainThreadMs(devTools)) - cpuMsBefore })
  }
  return times
}

/** Waits for two idle callbacks of the page. */
async function waitUntilIdle(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(() => requestIdleCallback(resolve))))
}

async function readMainThreadMs(devTools: CDPSession): Promise<number> {
  const { metrics } = await devTools.send('Performance.getMetrics')
  return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0)
}

/**
 * Runs in the page. Clicks a chip and returns the milliseconds until the frame that shows each
 * part. The rows are shown when all of them have the clicked priority, or, after a second click,
 * when a row appears that was not shown before this click.
 */
function clickAndWait(name: string): Promise<Omit<Times, 'cpu'>> {
  const filterChip = [...document.querySelectorAll<HTMLElement>('button[aria-pressed]')].find((button) =>
    button.textContent?.startsWith(name),
  )
  if (!filterChip) throw new Error(`There is no filter ${name}`)
  const willBePressed = filterChip.getAttribute('aria-pressed') === 'false'
  const rowsBefore = [...document.querySelectorAll('[data-alert-row]')].map((row) => row.getAttribute('data-alert-row'))
  const isShown = () => {
    const rows = [...document.querySelectorAll('[data-alert-row]')]
    if (willBePressed) return rows.length > 0 && rows.every((row) => row.textContent?.includes(name))
    return rows.length > 0 && rows.some((row) => !rowsBefore.includes(row.getAttribute('data-alert-row')))
  }
  return new Promise((resolve) => {
    const beganAtMs = performance.now()
    const times: Partial<Omit<Times, 'cpu'>> = {}
    filterChip.click()
    const recordPaints = () => {
      const isPressed = filterChip.getAttribute('aria-pressed') === String(willBePressed)
      const hasRows = times.rows !== undefined || isShown()
      const isAnswered = hasRows && isPressed && document.querySelector('[aria-busy=false] [data-alert-row]') !== null
      // The browser paints after the frame callback, and delivers a message after the paint.
      const paintChannel = new MessageChannel()
      paintChannel.port1.onmessage = () => {
        const ms = performance.now() - beganAtMs
        if (isPressed) times.chip ??= ms
        if (hasRows) times.rows ??= ms
        if (!isAnswered) requestAnimationFrame(recordPaints)
        else resolve({ chip: ms, rows: ms, answer: ms, ...times })
      }
      paintChannel.port2.postMessage(null)
    }
    requestAnimationFrame(recordPaints)
  })
}

function printTimes(path: string, times: Times[]): void {
  const formatLine = (part: keyof Times) => {
    const partTimes = times.map((each) => each[part])
    const formatPercentile = (share: number) => computePercentile(partTimes, share).toFixed(0)
    const isOverGoal = part === 'rows' && Number(formatPercentile(0.95)) > GOAL_MS
    return `${part} ${formatPercentile(0.5)}, ${formatPercentile(0.95)}, ${formatPercentile(1)}${isOverGoal ? ' TOO SLOW' : ''}`
  }
  console.log(
    `${path}, ${times.length} clicks, ms from click to paint (median, 95th percentile, longest): ${formatLine('chip')}; ${formatLine('rows')}; ${formatLine('answer')}; CPU time of a click: ${formatLine('cpu')}; load average ${loadavg()[0]?.toFixed(1)}`,
  )
}
