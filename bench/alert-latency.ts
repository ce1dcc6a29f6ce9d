import type { Page } from '@playwright/test'
import { type Product, startNewProduct } from '../e2e/product.ts'
import { launchChromium } from './launch-chromium.ts'
import { computePercentile } from './percentile.ts'
import { becomeSubscriber } from './subscriber.ts'

/**
 * Measures the time from the response of POST /api/alerts to the toast on a subscriber's page, in a
 * real browser.
 * Usage: node --import tsx bench/alert-latency.ts [alerts = 40]
 */
const ALERTS = Number(process.argv[2] ?? 40)

const browser = await launchChromium()
const product = await startNewProduct()
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await becomeSubscriber(page, product)
  // Open another page, because the dashboard shows no toasts for the alerts of its list.
  await page.getByRole('link', { name: 'History' }).click()
  await recordToasts(page)
  const cookie = await readAdminCookie(product)

  const latencies: number[] = []
  for (let index = 0; index < ALERTS; index += 1) {
    const summary = `Latency probe ${index}`
    const answeredAt = await postAlert(product, cookie, summary)
    const shownAt = await page.waitForFunction((text) => window.shownAt?.[text], summary, { polling: 5 })
    latencies.push(Number(await shownAt.jsonValue()) - answeredAt)
  }
  printLatencies(latencies)
} finally {
  await browser.close()
  await product.discard()
}

/** Records when each summary first appears in the toast region. */
async function recordToasts(page: Page): Promise<void> {
  await page.evaluate(() => {
    const shownAt: Record<string, number> = {}
    window.shownAt = shownAt
    const region = document.querySelector('[aria-label^="Market alerts"]')
    if (!region) throw new Error('The page has no toast region')
    const recordVisibleTexts = () => {
      for (const [text] of (region.textContent ?? '').matchAll(/Latency probe \d+/g)) shownAt[text] ??= Date.now()
    }
    new MutationObserver(recordVisibleTexts).observe(region, { childList: true, subtree: true, characterData: true })
  })
}

async function readAdminCookie({ url, admin }: Product): Promise<string> {
  const answer = await postJson(url, '/api/auth/login', '', admin)
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
}

/** @returns the time of the complete response, in milliseconds since the epoch */
async function postAlert({ url }: Product, cookie: string, summary: string): Promise<number> {
  const answer = await postJson(url, '/api/alerts', cookie, {
    asset: 'ETH/USDT',
    confidence: 90.5,
    priority: 'high',
    summary,
  })
  await answer.text()
  if (!answer.ok) throw new Error(`POST /api/alerts returned ${answer.status}`)
  return Date.now()
}

function postJson(url: string, path: string, cookie: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', origin: url, cookie }
  return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
}

function printLatencies(latencies: number[]): void {
  const getPercentile = (share: number) => computePercentile(latencies, share)
  console.log(`${latencies.length} alerts, from POST response to toast, ms (negative: toast before response)`)
  console.log(
    `min ${getPercentile(0)}  median ${getPercentile(0.5)}  p95 ${getPercentile(0.95)}  max ${getPercentile(1)}`,
  )
}

declare global {
  interface Window {
    shownAt?: Record<string, number>
  }
}
