import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { seedMass } from '@tocsin/demo/mass-seed/mass-seed.ts'
import { startTestChain, startTestDatabase } from '@tocsin/testkit'
import { startTestServer } from '@tocsin/testkit/server'
import { logIn } from '../e2e/log-in.ts'
import { findChromium } from '../scripts/find-chromium.ts'

/**
 * Measures the time from a click on a filter of /notifications to the frame that paints the first
 * rows of the result, request and response included, with a slowed-down page. Run `npm run build`
 * first.
 * Usage: node --import tsx bench/filter.ts [rows = 10000] [slow-down = 4]
 */
const ROWS = Number(process.argv[2] ?? 10_000)
const SLOW_DOWN = Number(process.argv[3] ?? 4)
const CLICKS = 60
const GOAL_MS = 100
/** Each filter is undone by the next click, so that the result always changes. */
const FILTERS = ['Critical', 'High', 'Medium', 'Low']

const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
const webDir = join(import.meta.dirname, '../apps/web/dist')
const server = await startTestServer({ database, chain }, { http: { webDir } })
const browser = await chromium.launch({
  executablePath: await findChromium(),
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-component-update'],
})
try {
  await seedMass(server.ctx, { alerts: ROWS, users: 1, payments: 1, destinations: 1 })
  await server.ctx.db.execute('vacuum analyze')
  console.log(
    `node ${process.version}, Chromium ${browser.version()}, ${cpus().length} x ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}; ${ROWS.toLocaleString('en-US')} rows, ${SLOW_DOWN}x CPU slow-down`,
  )
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(`${server.url}/auth?next=%2Fnotifications`)
  await logIn(page, server.firstAdmin)
  await page.locator('[data-alert-row]').first().waitFor()
  await page.waitForLoadState('networkidle')
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: SLOW_DOWN })
  // tsx names functions with this helper, which the page lacks.
  await page.evaluate('globalThis.__name = (named) => named')
  report(await measureFilters(page))
} finally {
  await browser.close()
  await server.close()
  await Promise.all([database.stop(), chain.stop()])
}

async function measureFilters(page: Page): Promise<number[]> {
  const times: number[] = []
  for (let click = 0; click < CLICKS; click += 1) {
    const name = FILTERS[Math.floor(click / 2) % FILTERS.length] ?? ''
    times.push(await page.evaluate(clickAndWait, name))
    await page.waitForLoadState('networkidle')
  }
  return times
}

/**
 * Clicks a chip and returns the milliseconds until the frame after the list shows other rows. Runs
 * in the page.
 */
function clickAndWait(name: string): Promise<number> {
  const chip = [...document.querySelectorAll<HTMLElement>('button[aria-pressed]')].find((button) =>
    button.textContent?.startsWith(name),
  )
  if (!chip) throw new Error(`There is no filter ${name}`)
  const before = location.search
  return new Promise((resolve) => {
    const beganAtMs = performance.now()
    chip.click()
    const look = () => {
      const isDone = location.search !== before && document.querySelector('[aria-busy=false] [data-alert-row]') !== null
      // The paint follows the frame callback; a message arrives after it.
      if (!isDone) requestAnimationFrame(look)
      else {
        const painted = new MessageChannel()
        painted.port1.onmessage = () => resolve(performance.now() - beganAtMs)
        painted.port2.postMessage(null)
      }
    }
    requestAnimationFrame(look)
  })
}

function report(times: number[]): void {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number) => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(0)
  const isOver = Number(at(0.95)) > GOAL_MS
  console.log(
    `filter to paint: median ${at(0.5)} ms, 95th percentile ${at(0.95)} ms, longest ${at(1)} ms of ${times.length}; load average ${loadavg()[0]?.toFixed(1)}${isOver ? '  TOO SLOW' : ''}`,
  )
}
