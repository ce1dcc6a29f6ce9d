import { loadavg } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { seedMass } from '@tocsin/demo/mass-seed/mass-seed.ts'
import { startTestChain, startTestDatabase } from '@tocsin/testkit'
import { startTestServer } from '@tocsin/testkit/server'
import { logIn } from '../e2e/log-in.ts'
import { installWallet } from '../e2e/scripted-wallet.ts'
import { describeMachine } from '../scripts/describe-machine.ts'
import { launchChromium } from './launch-chromium.ts'

/**
 * Measures the longest tasks of the main thread while an admin scrolls through /notifications, and
 * through the list of /dashboard, from the first row to the last, and then jumps to random
 * positions. Reports CPU time, which excludes other load on the machine, and wall-clock time. Run
 * `npm run build` first.
 * Usage: node --import tsx bench/scroll.ts [rows = 10000]
 */
const ROWS = Number(process.argv[2] ?? 10_000)
const JUMP_COUNT = 40
const LONG_TASK_MS = 50
const SCROLL_TIMEOUT_MS = 180_000
const WIDE_VIEWPORT = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }
/** Excludes /dashboard on a phone, where it shows only the newest rows. */
const MEASURED_LISTS = [
  { name: 'wide', path: '/notifications', viewport: WIDE_VIEWPORT },
  { name: 'phone', path: '/notifications', viewport: PHONE },
  { name: 'dashboard', path: '/dashboard', viewport: WIDE_VIEWPORT },
]

const browser = await launchChromium()
const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
const webDir = join(import.meta.dirname, '../apps/web/dist')
const server = await startTestServer({ database, chain }, { http: { webDir } })
try {
  await seedMass(server.ctx, { alerts: ROWS, users: 1, payments: 1, destinations: 1 })
  console.log(`${describeMachine()}, Chromium ${browser.version()}; ${ROWS.toLocaleString('en-US')} rows`)
  for (const { name, path, viewport } of MEASURED_LISTS) {
    const page = await browser.newPage({ viewport })
    await installWallet(page, { chainUrl: chain.url, accountIndex: 9, isConnected: true })
    await page.goto(`${server.url}/auth?next=${encodeURIComponent(path)}`)
    await logIn(page, server.firstAdmin)
    const row = page.locator('[data-alert-row]').first()
    await row.waitFor()
    // Wait for the page to finish loading, which is not part of the measurement.
    await page.waitForLoadState('networkidle')
    const { x = 0, width = 0 } = (await row.boundingBox()) ?? {}
    await page.mouse.move(x + width / 2, viewport.height / 2)
    await measureAction(`${name}, by wheel to the end`, page, () => scrollToEnd(page))
    await measureAction(`${name}, ${JUMP_COUNT} jumps`, page, () => jumpRepeatedly(page))
    await page.close()
  }
} finally {
  await browser.close()
  await server.close()
  await Promise.all([database.stop(), chain.stop()])
}

/** Scrolls until the list has loaded its last page. */
async function scrollToEnd(page: Page): Promise<void> {
  const listFooter = page.locator('footer').filter({ hasText: /^((Showing|All) [\d,+]+|[\d,]+ alerts shown)/ })
  await listFooter.waitFor()
  const deadlineMs = Date.now() + SCROLL_TIMEOUT_MS
  for (let hasMore = true; hasMore; hasMore = (await listFooter.getByRole('button').count()) > 0) {
    if (Date.now() > deadlineMs) throw new Error(`The list did not reach its end: ${await listFooter.textContent()}`)
    await page.mouse.wheel(0, 900)
    await waitForFrame(page)
  }
}

async function jumpRepeatedly(page: Page): Promise<void> {
  for (let time = 1; time <= JUMP_COUNT; time += 1) {
    // Jump to pseudo-random but reproducible positions.
    await page.evaluate(
      (share) => {
        const scroller = document.querySelector('[data-scroller]') ?? document.documentElement
        scroller.scrollTo(0, share * scroller.scrollHeight)
      },
      (time * 0.618) % 1,
    )
    await waitForFrame(page)
  }
}

function waitForFrame(page: Page): Promise<unknown> {
  return page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
}

interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  dur?: number
  tdur?: number
  args?: { name?: string }
}

async function measureAction(name: string, page: Page, runAction: () => Promise<void>): Promise<void> {
  const tasks = await traceTasks(page.context().browser() ?? browser, page, runAction)
  const taskCpuMs = tasks.map(({ tdur = 0 }) => tdur / 1_000).sort((a, b) => b - a)
  const clock = tasks.map(({ dur = 0 }) => dur / 1_000).sort((a, b) => b - a)
  const longTaskCount = taskCpuMs.filter((ms) => ms > LONG_TASK_MS).length
  console.log(
    `${name}: ${tasks.length} tasks, CPU time of the longest ${taskCpuMs.slice(0, 8).map((ms) => ms.toFixed(0))} ms, over ${LONG_TASK_MS} ms: ${longTaskCount}; by the clock ${clock.slice(0, 3).map((ms) => ms.toFixed(0))} ms; load average ${loadavg()[0]?.toFixed(1)}`,
  )
}

/**
 * Returns the tasks of the page's main thread, which is the renderer thread with the most CPU time.
 */
async function traceTasks(tracedBrowser: Browser, page: Page, runAction: () => Promise<void>): Promise<TraceEvent[]> {
  await tracedBrowser.startTracing(page, { categories: ['toplevel', '__metadata'] })
  await runAction()
  const { traceEvents } = JSON.parse((await tracedBrowser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
  const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
  const getTasks = ({ pid, tid }: TraceEvent) =>
    traceEvents.filter(
      (event) =>
        event.pid === pid && event.tid === tid && event.ph === 'X' && event.name === 'ThreadControllerImpl::RunTask',
    )
  const sumCpuTime = (tasks: TraceEvent[]) => tasks.reduce((sum, { tdur = 0 }) => sum + tdur, 0)
  return threads.map(getTasks).sort((a, b) => sumCpuTime(b) - sumCpuTime(a))[0] ?? []
}
