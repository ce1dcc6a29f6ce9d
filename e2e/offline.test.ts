import { expect, type Page, test } from '@playwright/test'
import { logIn } from './log-in.ts'
import { type Product, startProduct } from './product.ts'

test.use({ serviceWorkers: 'allow' })

let product: Product

test.beforeAll(async () => {
  product = await startProduct()
})
test.afterAll(async () => {
  await product?.discard()
})

/** Headings of the pages behind the sign-in when they are opened offline, and what they say. */
const signedInPages: [link: string, words: RegExp][] = [
  ['Notifications', /^As of .*, offline$/],
  ['History', /^Your activity and payments are on the server/],
  ['Verification', /^Checking a proof reads the anchor from a node/],
  ['Settings', /can only be changed online\.$/],
  ['Dashboard', /^As of .*, offline$/],
]
const errorScreen =
  /This page stopped working|This page could not be loaded|Part of this page could not|Something went wrong/

async function expectPage(page: Page, heading: string | RegExp): Promise<void> {
  await expect(page.getByRole('heading', { level: 1, name: heading }).first()).toBeVisible()
  await expect(page.getByText(errorScreen).filter({ visible: true })).toHaveCount(0)
}

/** Everything that this browser stores for the site, as text. */
const readStorage = (page: Page) =>
  page.evaluate(async () => {
    const texts = [JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage }), document.cookie]
    const names = await caches.keys()
    for (const name of names) {
      const cache = await caches.open(name)
      for (const request of await cache.keys()) {
        const isScript = new URL(request.url).pathname.startsWith('/assets/')
        if (!isScript) texts.push(`${request.url} ${await (await cache.match(request))?.text()}`)
      }
    }
    const databases = (await indexedDB.databases()).map(({ name }) => name)
    return { names, databases, text: texts.join('\n') }
  })

test('offline: every signed-in page opens by a click, and the kept alerts are marked with their age', async ({
  page,
  context,
}) => {
  await page.goto(`${product.url}/auth?next=/dashboard`)
  const manifest = await (await page.request.get(`${product.url}/site.webmanifest`)).json()
  for (const { src } of manifest.icons) expect((await page.request.get(product.url + src)).ok(), src).toBe(true)
  expect((await page.request.get(`${product.url}/sw.js`)).headers()['cache-control']).toBe('no-cache')
  await logIn(page, product.trader)
  await expect(page.getByRole('main').getByRole('button', { name: 'Connect Wallet' })).toBeVisible()
  await page.evaluate(() => navigator.serviceWorker.ready)
  await expect.poll(() => page.evaluate(() => caches.has('private-alerts'))).toBe(true)
  const kept = await page.evaluate(async () => {
    const list = await (await caches.open('private-alerts')).match('/kept/alerts')
    return (await list?.json()) as { alerts: { alert: { summary: string; locked?: true } }[] }
  })
  expect(kept.alerts.length).toBeGreaterThan(0)
  expect(kept.alerts.length).toBeLessThanOrEqual(200)
  expect(kept.alerts.filter(({ alert }) => alert.locked)).toEqual([])
  const [newest] = kept.alerts
  expect((await readStorage(page)).text).toContain(newest?.alert.summary)

  await context.setOffline(true)
  await expect(page.getByText(/^You are offline\./)).toBeVisible()
  for (const [link, words] of signedInPages) {
    await test.step(`click ${link}`, async () => {
      await page
        .getByRole('link', { name: new RegExp(`^${link}`) })
        .first()
        .click()
      await expectPage(page, link)
      await expect(page.getByText(words)).toBeVisible()
    })
  }
})
