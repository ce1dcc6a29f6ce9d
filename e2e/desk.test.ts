import { expect, type Page } from '@playwright/test'
import { test } from './browser-test.ts'
import { holdRequests } from './hold-requests.ts'
import { type Product, startProductWithEngine } from './product.ts'
import { installWallet } from './scripted-wallet.ts'
import { startSession } from './session.ts'

// What a trader sees of a filter before the server has answered it.

let product: Product

test.beforeAll(async () => {
  product = await startProductWithEngine()
})
test.afterAll(async () => {
  await product?.discard()
})

const rows = (page: Page) => page.getByRole('main').locator('[data-alert-row]')
const busyList = (page: Page, isBusy: boolean) =>
  page.locator(`[aria-busy=${isBusy}]`).filter({ has: page.locator('[data-alert-row]') })

for (const path of ['/notifications', '/dashboard']) {
  test(`filter: the loaded rows that match are shown on ${path} while the server does not answer`, async ({
    page,
    context,
  }) => {
    await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 9, isConnected: true })
    await startSession(context, product.url, product.admin)
    await page.goto(product.url + path)
    await expect(rows(page).first()).toBeVisible()
    // The demo's alerts are random: some of the loaded rows must match, and some not.
    const texts = await rows(page).allTextContents()
    const matches = (priority: string) => texts.filter((text) => text.includes(priority)).length
    const isMixed = (priority: string) => matches(priority) > 0 && matches(priority) < texts.length
    const name = ['Low', 'Medium', 'High', 'Critical'].find(isMixed)
    if (name === undefined) throw new Error('All loaded rows have the same priority')
    const chip = page.getByRole('search').getByRole('button', { name: new RegExp(`^${name}`) })
    await page.evaluate(countSelectionReads)
    const requested: string[] = []
    page.on('request', (request) => requested.push(new URL(request.url()).pathname))
    const release = await holdRequests(page, '**/api/alerts/search*')

    await chip.focus()
    await page.keyboard.press('Enter')
    await expect(chip).toHaveAttribute('aria-pressed', 'true')
    await expect(rows(page).filter({ hasNotText: name })).toHaveCount(0)
    await expect(rows(page).first()).toBeVisible()
    await expect(busyList(page, true)).toHaveCSS('opacity', '1')

    release()
    await expect(busyList(page, false)).toBeVisible()
    await expect(rows(page).filter({ hasNotText: name })).toHaveCount(0)
    expect(requested.filter((each) => each.startsWith('/api/alerts/user/'))).toEqual([])
    const reads = await page.evaluate(() => Reflect.get(window, 'selectionReads'))
    expect(reads, 'to read the selection is to lay out the page').toBe(0)
  })
}

test('rows and filters at 1024 px: three lines of a summary keep off the border, and filters stand on one line', async ({
  page,
  context,
}) => {
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 9, isConnected: true })
  await startSession(context, product.url, product.admin)
  const summary = 'Depth within 1 % fell on every venue while the spread widened, '.repeat(3).trim()
  const content = { asset: 'ETH/USDT', anomalyType: 'Volume spike', confidence: 97.3, priority: 'low', summary }
  const headers = { origin: product.url }
  const created = await context.request.post(`${product.url}/api/alerts`, { data: content, headers })
  expect(created.status()).toBe(201)

  await page.setViewportSize({ width: 1024, height: 768 })
  await page.goto(`${product.url}/dashboard`)
  const text = rows(page).getByTitle(summary)
  const spaceBelow = () =>
    text.evaluate((element) => {
      const row = element.closest('[data-alert-row]')?.parentElement
      return (row?.getBoundingClientRect().bottom ?? 0) - element.getBoundingClientRect().bottom
    })
  for (const width of [1024, 1440]) {
    await page.setViewportSize({ width, height: 768 })
    await expect.poll(spaceBelow, `space under the summary at ${width} px`).toBeGreaterThanOrEqual(2)
  }

  await page.setViewportSize({ width: 1024, height: 768 })
  await page.goto(`${product.url}/notifications`)
  const chips = page.getByRole('group', { name: 'Priority' }).getByRole('button')
  await expect(chips.last()).toBeVisible()
  const lines = () => chips.evaluateAll((all) => new Set(all.map((chip) => chip.getBoundingClientRect().top)).size)
  await expect.poll(lines).toBe(1)
})

/** Runs in the page. */
function countSelectionReads(): void {
  Reflect.set(window, 'selectionReads', 0)
  const { get } = Object.getOwnPropertyDescriptor(Selection.prototype, 'isCollapsed') ?? {}
  Object.defineProperty(Selection.prototype, 'isCollapsed', {
    get() {
      Reflect.set(window, 'selectionReads', Reflect.get(window, 'selectionReads') + 1)
      return get?.call(this)
    },
  })
}
