import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test'
import type { Candle } from '@tocsin/proof'
import { createIssuer } from '@tocsin/server/features/alerts/issue-alerts.ts'
import { receiveSignals } from '@tocsin/server/features/feed/receive-signals.ts'
import { findRecordAnchor } from '@tocsin/server/features/record/store.ts'
import { findHead } from '@tocsin/server/features/tlog/store.ts'
import { fakeClock, startTestChain, startTestDatabase } from '@tocsin/testkit'
import { startTestServer } from '@tocsin/testkit/server'
import {
  createCandles,
  createOutcomeMessage,
  createPredictedSignal,
} from '../../apps/server/test/support/outcome-test-bed.ts'
import { findChromium } from '../../scripts/find-chromium.ts'
import { findViolations } from '../accessible.ts'
import { findClippedTexts } from '../find-clipped-texts.ts'
import { installWallet } from '../scripted-wallet.ts'

/*
 * Takes screenshots of the track record and of alerts in every outcome state:
 * `node --import tsx e2e/pictures/record-sheet.ts [folder]`, with `WIDTHS` and `THEMES` as for
 * contact-sheet.ts. The alerts are issued on a clock that the script advances by 27 days, because
 * no product runs long enough; the pages get the same time.
 */

const folder = resolve(process.argv[2] ?? '.cache/record-sheet')
const widths = (process.env.WIDTHS ?? '1440,1280,1024,768,390').split(',').map(Number)
const themes: readonly ('dark' | 'light')[] = process.env.THEMES === 'dark' ? ['dark'] : ['dark', 'light']
const MINUTE = 60_000
const DAY = 86_400_000
const DAY_COUNT = 26
const webDir = fileURLToPath(new URL('../../apps/web/dist', import.meta.url))

const assets = ['BTC', 'ETH', 'SOL', 'XRP', 'ADA', 'DOGE', 'LINK', 'AVAX', 'LTC', 'BNB'].map((name) => `${name}/USDT`)
const types = ['Price move', 'Price move', 'Volatility shift', 'Price move', 'Price move', 'Volume spike', 'Price move']
const priorities = ['medium', 'low', 'high', 'medium', 'low', 'critical']
const regimes = ['Calm', 'Normal, range', 'Turbulent, trend down']
const summary = 'Price fell 1.23% in 4 min on 5.3× usual volume; largest since 3 May'

/**
 * State of the random number generator. It starts with a constant, so all runs use the same
 * numbers.
 */
let seed = 7
function drawRandom(): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
  return seed / 2 ** 31
}
const pickAt = <Item>(items: readonly Item[], at: number) => items[at % items.length] as Item

const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
const clock = fakeClock(new Date())
const server = await startTestServer({ database, chain }, { http: { webDir } }, { clock })
const browser = await chromium.launch({
  executablePath: await findChromium(),
  args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
})
try {
  await mkdir(folder, { recursive: true })
  await issueHistory()
  for (const theme of themes) await captureTheme(theme)
} finally {
  await browser.close()
  await server.close()
  await Promise.all([database.stop(), chain.stop()])
}

async function receiveTestSignals(...texts: string[]): Promise<void> {
  const { ctx } = server
  await receiveSignals(ctx, createIssuer(ctx), texts, new AbortController().signal)
}

async function waitUntilAnchored(): Promise<void> {
  for (;;) {
    const { db } = server.ctx
    const [head, anchor] = await Promise.all([findHead(db), findRecordAnchor(db, new Date('2100-01-01'))])
    if (anchor?.size === head.size) return
    await delay(50)
  }
}

async function advanceTime(ms: number): Promise<void> {
  clock.advance(ms)
  await chain.control.setNextBlockTimestamp({ timestamp: BigInt(Math.floor(clock.now().getTime() / 1000)) })
  await chain.mine()
}

/**
 * Returns the candles of a day in which about one minute in twelve is followed by a move of 1 %.
 */
function listCandlesOfDay(day: string): Candle[] {
  const start = Date.parse(`${day}T00:00:00.000Z`) / 1000
  return Array.from({ length: 1_440 }, (_, index): Candle => {
    const close = index % 60 < 2 ? '101.2' : '100'
    return [start + index * 60, '100', '200', '50', close, '1.5']
  })
}

async function issueHistory(): Promise<void> {
  for (let step = 0; step < DAY_COUNT; step++) {
    const now = clock.now()
    const signals = assets.map((asset, index) => {
      const confidence = 15 + Math.round(drawRandom() * 650) / 10
      const signalIndex = step * assets.length + index
      return createPredictedSignal(`m-${step}-${index}`, now, {
        asset,
        anomalyType: step > 20 && index === 3 ? 'Rush orders' : pickAt(types, signalIndex),
        priority: pickAt(priorities, signalIndex),
        regime: pickAt(regimes, step),
        confidence,
        summary,
      })
    })
    await receiveTestSignals(...signals)
    await waitUntilAnchored()
    await advanceTime(6 * MINUTE)
    const outcomes = signals.map((signal, index) => {
      const { confidence, prediction } = JSON.parse(signal)
      if (index === 9 && step % 9 === 0)
        return createOutcomeMessage(signal, { candles: createCandles(prediction, '101').slice(4, 6) })
      return createOutcomeMessage(signal, { last: drawRandom() * 100 < confidence ? '101.46' : '100.37' })
    })
    await receiveTestSignals(...(step % 12 === 5 ? outcomes.slice(1) : outcomes))
    const day = now.toISOString().slice(0, 10)
    const { venue, market } = JSON.parse(signals[0] ?? '{}').prediction
    await receiveTestSignals(JSON.stringify({ type: 'candles', venue, market, day, candles: listCandlesOfDay(day) }))
    await waitUntilAnchored()
    await advanceTime(DAY - 6 * MINUTE)
  }
  await issueAllStates()
}

/** Issues one alert in each outcome state, the newest last. */
async function issueAllStates(): Promise<void> {
  const createSignal = (id: string, asset: string, change: object = {}, agoMs = 0) =>
    createPredictedSignal(id, new Date(clock.now().getTime() - agoMs), { asset, summary, ...change })
  const overdueSignal = createSignal('overdue', 'SOL/USDT')
  await receiveTestSignals(overdueSignal)
  await waitUntilAnchored()
  await advanceTime(25 * MINUTE)
  const [trueSignal, falseSignal, voidSignal] = [
    createSignal('yes', 'BTC/USDT'),
    createSignal('no', 'ETH/USDT'),
    createSignal('void', 'XRP/USDT'),
  ]
  const lateSignal = createSignal('late', 'LTC/USDT', {}, 2 * MINUTE)
  await receiveTestSignals(trueSignal, falseSignal, voidSignal, lateSignal)
  await waitUntilAnchored()
  await advanceTime(6 * MINUTE)
  await receiveTestSignals(
    createOutcomeMessage(trueSignal, { last: '101.46' }),
    createOutcomeMessage(falseSignal, { last: '100.37' }),
    createOutcomeMessage(lateSignal),
  )
  await receiveTestSignals(
    createOutcomeMessage(voidSignal, { candles: createCandles(JSON.parse(voidSignal).prediction, '101').slice(4, 6) }),
  )
  const admin = await server.signInAdmin()
  const { items } = await admin.call('searchAlerts', { query: { limit: 10 } })
  const target = items.find(({ alert }) => 'asset' in alert && alert.asset === 'ETH/USDT')
  const content = {
    asset: 'ETH/USDT',
    priority: 'high',
    anomalyType: 'Price move',
    regime: 'Calm',
    confidence: 40,
  } as const
  if (target) {
    const body = { ...content, summary: 'Price fell 0.4 % in 5 min; the first figure was wrong' }
    await admin.call('correctAlert', { params: { id: target.id }, body })
  }
  await admin.call('createAlert', {
    body: { ...content, asset: 'DOGE/USDT', summary: 'Maintenance at one exchange; expect gaps' },
  })
  await receiveTestSignals(createSignal('open', 'LINK/USDT'))
  await waitUntilAnchored()
  await advanceTime(10_000)
}

async function openContext(colorScheme: 'dark' | 'light', cookie: string): Promise<BrowserContext> {
  const context = await (browser as Browser).newContext({ colorScheme, bypassCSP: true })
  await context.clock.install({ time: clock.now() })
  for (const pair of cookie.split('; ').filter(Boolean)) {
    const [name = '', value = ''] = pair.split('=')
    await context.addCookies([{ name, value, url: server.url }])
  }
  return context
}

async function captureTheme(theme: 'dark' | 'light'): Promise<void> {
  const page = await (await openContext(theme, '')).newPage()
  await captureWidths(page, theme, 'record', '/track-record')
  await captureWidths(page, theme, 'record-bin', '/track-record?by=bin&key=40#alerts')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`${server.url}/track-record`, { waitUntil: 'networkidle' })
  await page.getByRole('button', { name: 'Recompute 30 days here' }).click()
  await page.getByText('Not checked here').waitFor()
  await captureWidths(page, theme, 'record-recount', null)
  const admin = await server.signInAdmin()
  const signedIn = await (await openContext(theme, admin.cookie())).newPage()
  await installWallet(signedIn, { chainUrl: chain.url, accountIndex: 6 })
  await captureWidths(signedIn, theme, 'notifications', '/notifications')
  await signedIn.goto(`${server.url}/dashboard`)
  await signedIn.getByRole('main').getByRole('button', { name: 'Connect Wallet' }).click()
  await signedIn
    .getByRole('dialog')
    .getByRole('button', { name: /Scripted Wallet/ })
    .click()
  await signedIn.getByRole('heading', { name: 'Market Insights Dashboard' }).waitFor()
  await captureWidths(signedIn, theme, 'dashboard', null)
  await captureToast(signedIn, theme)
  // Sign in again, because proving the wallet has replaced the session.
  const reader = await server.signInAdmin()
  for (const [name, asset] of [
    ['came-true', 'BTC/USDT'],
    ['did-not', 'ETH/USDT'],
    ['void', 'XRP/USDT'],
    ['overdue', 'SOL/USDT'],
    ['late', 'LTC/USDT'],
    ['open', 'LINK/USDT'],
  ] as const) {
    const { items } = await reader.call('searchAlerts', { query: { asset, limit: 2 } })
    const alert = items.find(({ alert: each }) => 'prediction' in each && each.prediction)
    await captureWidths(signedIn, theme, `alert-${name}`, `/notifications?alert=${alert?.id}`)
  }
}

/** Captures the toast of a verdict that arrives while the page is open. */
async function captureToast(page: Page, theme: string): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: 'Verify this wallet' }).click()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.evaluate(() => {
    const headers = { 'content-type': 'application/json' }
    return fetch('/api/settings/preferences', { method: 'PUT', headers, body: '{"outcomeToasts":true}' })
  })
  await page.reload({ waitUntil: 'networkidle' })
  await page.getByText('Live', { exact: true }).waitFor()
  const signal = createPredictedSignal(`toast-${theme}`, clock.now(), { asset: 'ADA/USDT', summary })
  await receiveTestSignals(signal)
  await waitUntilAnchored()
  await advanceTime(6 * MINUTE)
  await page.clock.setSystemTime(clock.now())
  await receiveTestSignals(createOutcomeMessage(signal, { last: '101.46' }))
  await page
    .getByRole('region', { name: /Market alerts/ })
    .getByText('Came true')
    .waitFor()
  await page.screenshot({ path: join(folder, `toast-${theme}-1440.png`), animations: 'disabled' })
}

async function captureWidths(page: Page, theme: string, name: string, path: string | null): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    if (path !== null) await page.goto(server.url + path, { waitUntil: 'networkidle' })
    await page.waitForLoadState('networkidle')
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    if (overflow > 0) console.log(`${name} at ${width} px, ${theme}: ${overflow} px too wide`)
    for (const text of (await page.evaluate(findClippedTexts, false)).filter((each) => !each.startsWith('shortened')))
      console.log(`${name} at ${width} px, ${theme}: ${text}`)
    for (const problem of await findViolations(page)) console.log(`${name} at ${width} px, ${theme}: ${problem}`)
    await page.screenshot({
      path: join(folder, `${name}-${theme}-${width}.png`),
      fullPage: name.startsWith('record'),
      animations: 'disabled',
    })
  }
}
