import { expect, type Page, test } from '@playwright/test'
import { closeByEscape } from './close-dialog.ts'
import { type Product, startProduct } from './product.ts'
import { installWallet } from './scripted-wallet.ts'
import { startSession } from './session.ts'
import { startUpdatedSite, type UpdatedSite } from './updated-site.ts'

test.use({ serviceWorkers: 'allow' })

let product: Product
let site: UpdatedSite

test.beforeAll(async () => {
  site = await startUpdatedSite()
  product = await startProduct({ PUBLIC_URL: site.url })
  site.connect(product.url)
})
test.afterAll(async () => {
  site?.close()
  await product?.discard()
})

/** Deploys a new build and installs its service worker, as the next navigation would. */
async function updateSite(page: Page): Promise<void> {
  site.update()
  await page.evaluate(async () => (await navigator.serviceWorker.ready).update())
}

const listShellCaches = (page: Page) =>
  page.evaluate(async () => (await caches.keys()).filter((name) => name.startsWith('shell-')))

const listLoadedScripts = (page: Page) =>
  page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name)).then((names) => names.join())

const readBuild = (page: Page) => page.locator('meta[name="tocsin-build"]').getAttribute('content')

test('update: after a new build is deployed, an open page still loads its old scripts, offers a reload when no purchase is open, and then runs the new build', async ({
  page,
  context,
}) => {
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 5, isConnected: true })
  await startSession(context, site.url, product.trader)
  await page.goto(`${site.url}/dashboard`)
  await expect(page.getByRole('heading', { name: 'Market Insights Dashboard' })).toBeVisible()
  await page.evaluate(() => navigator.serviceWorker.ready)
  const [first = ''] = await listShellCaches(page)

  await page.getByRole('button', { name: 'Select Plan: 6 hours, 10 ITO' }).click()
  const purchase = page.getByRole('dialog')
  await expect(purchase.getByRole('heading', { name: 'Confirm purchase' })).toBeVisible()
  const newBuildResponse = page.waitForResponse(
    async (response) => (await response.headerValue('tocsin-build')) === 'build1',
  )
  await updateSite(page)
  await expect.poll(() => listShellCaches(page)).toEqual([first, 'shell-build1'])
  await (await newBuildResponse).finished()
  const notice = page.getByText('A new version of Tocsin is ready.')
  await expect(notice, 'during a purchase').toHaveCount(0)
  await closeByEscape(purchase)
  await expect(notice).toBeVisible()

  // The open page runs the old build, whose script of the History page is no longer on the server.
  const scriptsBefore = await listLoadedScripts(page)
  expect(scriptsBefore).not.toContain('history-page')
  await page.getByRole('link', { name: 'History' }).first().click()
  await expect(page.getByRole('heading', { level: 1, name: 'History' })).toBeVisible()
  await expect.poll(() => listLoadedScripts(page)).toMatch(/history-page-[\w-]+\.js/)

  await page.getByRole('region', { name: 'New version' }).getByRole('button', { name: 'Reload' }).click()
  await expect.poll(() => readBuild(page)).toBe('build1')
  await expect(page.getByRole('heading', { level: 1, name: 'History' })).toBeVisible()
  await expect(notice).toHaveCount(0)
  await expect.poll(() => listLoadedScripts(page)).toMatch(/history-page-[\w-]+\.build1\.js/)

  // The browser stores only the newest build and the one before it.
  await updateSite(page)
  await expect.poll(() => listShellCaches(page)).toEqual(['shell-build1', 'shell-build2'])
  await context.setOffline(true)
  await page.goto(`${site.url}/settings`)
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
  expect(await readBuild(page)).toBe('build2')
})
