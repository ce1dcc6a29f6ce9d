import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Browser, chromium, type Page } from '@playwright/test'
import { logIn } from '../e2e/log-in.ts'
import { startProduct } from '../e2e/product.ts'
import { installWallet } from '../e2e/scripted-wallet.ts'
import { findChromium } from './find-chromium.ts'

/** A picture of every route in both themes at four widths, and one page that shows them all: `node --import tsx scripts/contact-sheet.ts [folder]`. */
const folder = resolve(process.argv[2] ?? '.cache/contact-sheet')
const widths = [1440, 768, 390, 320]
const themes = ['dark', 'light'] as const

const publicRoutes = [
  ...['/', '/auth', '/auth?tab=sign-up', '/auth?mode=forgot-password', '/admin-auth', '/documentation'],
  ...['/api-reference', '/api-reference?topic=WebSocket', '/contact-support', '/transparency'],
  ...['/privacy-policy', '/terms-of-service', '/security', '/verify-email', '/reset-password', '/nowhere'],
]
const traderRoutes = ['/dashboard', '/notifications', '/history', '/verification', '/settings']
const adminRoutes = ['/admin', '/admin?tab=alerts', '/admin?tab=users']

const product = await startProduct()
const browser = await chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox', '--disable-gpu'] })
const taken: { route: string; theme: string; width: number; file: string }[] = []
try {
  await mkdir(folder, { recursive: true })
  for (const theme of themes) {
    await takeAll(await openPage(browser, theme), publicRoutes, theme)
    const trader = await openPage(browser, theme)
    await installWallet(trader, { chainUrl: product.chainUrl, accountIndex: 7 })
    await trader.goto(`${product.url}/auth`)
    await logIn(trader, product.trader)
    await trader.getByRole('main').getByRole('button', { name: 'Connect Wallet' }).click()
    await trader.getByRole('dialog').getByRole('button', { name: 'Scripted Wallet' }).click()
    await takeAll(trader, traderRoutes, theme)
    const admin = await openPage(browser, theme)
    await admin.goto(`${product.url}/admin-auth`)
    await logIn(admin, product.admin)
    await admin.waitForURL(/\/admin$/)
    await takeAll(admin, adminRoutes, theme)
  }
  await writeFile(join(folder, 'index.html'), drawSheet())
  console.log(`${taken.length} pictures: ${join(folder, 'index.html')}`)
} finally {
  await browser.close()
  await product.discard()
}

async function openPage(chrome: Browser, colorScheme: (typeof themes)[number]): Promise<Page> {
  const context = await chrome.newContext({ colorScheme })
  return context.newPage()
}

async function takeAll(page: Page, routes: readonly string[], theme: string): Promise<void> {
  for (const route of routes) {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(product.url + route, { waitUntil: 'networkidle' })
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      if (overflow > 0) console.log(`${route} at ${width} px, ${theme}: ${overflow} px too wide`)
      const file = `${route.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '') || 'home'}-${theme}-${width}.png`
      await page.screenshot({ path: join(folder, file), fullPage: true })
      taken.push({ route, theme, width, file })
    }
  }
}

function drawSheet(): string {
  const figures = taken.map(
    ({ route, theme, width, file }) =>
      `<figure><a href="${file}"><img src="${file}" width="${Math.round(width / 4)}" loading="lazy"></a><figcaption>${route} · ${theme} · ${width}</figcaption></figure>`,
  )
  const style = 'body{display:flex;flex-wrap:wrap;gap:24px;align-items:start;font:12px system-ui}figure{margin:0}'
  return `<!doctype html><meta charset="utf-8"><title>Contact sheet</title><style>${style}</style>${figures.join('\n')}\n`
}
