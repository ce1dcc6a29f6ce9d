import { type Browser, type BrowserContextOptions, expect, type Page } from '@playwright/test'
import { test } from './browser-test.ts'
import { closeByEscape } from './close-dialog.ts'
import { holdRequests } from './hold-requests.ts'
import { connectScriptedWallet, installWallet } from './scripted-wallet.ts'
import { startSession } from './session.ts'
import { useProduct } from './use-product.ts'
import { watchLiveRead } from './watch-live-read.ts'

const product = useProduct()

const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const sizes: [name: string, options: BrowserContextOptions][] = [
  ['1440', { viewport: { width: 1440, height: 900 } }],
  ['1024', { viewport: { width: 1024, height: 768 } }],
  ['768', { viewport: { width: 768, height: 1024 }, hasTouch: true, isMobile: true }],
  ['390', phone],
]

for (const [size, options] of sizes) {
  test(`toasts at ${size} px: cover no control and no verification result on the dashboard, /verification and in the purchase`, async ({
    browser,
  }) => {
    const page = await openDashboard(browser, options, product.trader)
    await page.goto(`${product.url}/verification`)
    await page.getByRole('button', { name: 'Verify alert' }).click()
    await expectNothingCovered(page, 'Missing Information')

    await page.route('**/api/wallets/challenge', (route) => route.abort())
    await page.goto(`${product.url}/dashboard`)
    // If the wallet is restored too late, the page removes the plans and asks to connect it.
    await connectScriptedWallet(page)
    await page.getByRole('button', { name: 'Select Plan: 6 hours, 10 ITO' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /Verify wallet and pay/ }).click()
    await expectNothingCovered(page, 'Subscription Failed')
    await closeByEscape(dialog)
    await expect(page.locator('li.toast[data-state=open]').filter({ hasText: 'Subscription Failed' })).toBeVisible()
  })

  test(`toasts at ${size} px: cover no control and no verification result in the admin area and when an alert arrives`, async ({
    browser,
  }) => {
    const page = await openLiveDashboard(browser, options)
    await page.getByRole('link', { name: 'Verification' }).first().click()
    await page.getByRole('button', { name: 'Choose from my alerts' }).click()
    await page.getByRole('dialog').getByRole('listitem').nth(3).getByRole('button').click()
    await page.getByRole('button', { name: 'Verify alert' }).click()
    await expect(page.getByText('Verified', { exact: true }).first()).toBeVisible()
    const data = { asset: 'ETH/USDT', anomalyType: 'Volume spike', confidence: 97.3, priority: 'high', summary: 'Late' }
    const postResponse = await page.request.post(`${product.url}/api/alerts`, {
      data,
      headers: { origin: product.url },
    })
    expect(postResponse.status()).toBe(201)
    await expectNothingCovered(page, 'Volume spike')
    // The verdict panel is higher than this window. The toast must not cover its heading or its
    // text.
    const { width, height } = options.viewport ?? { width: 0, height: 0 }
    await page.setViewportSize({ width, height: 560 })
    await page.getByRole('heading', { name: 'Verified', exact: true }).scrollIntoViewIfNeeded()
    await expectNothingCovered(page, 'Volume spike')
    await page.setViewportSize({ width, height })

    await page.goto(`${product.url}/admin?tab=dashboard`)
    await page.getByRole('button', { name: 'Update chain' }).click()
    await expectNothingCovered(page, 'No Change')
    await hideToast(page, 'No Change')
    await page.getByRole('tab', { name: 'Alerts' }).click()
    await page.getByRole('button', { name: 'Create Alert' }).click()
    await expectNothingCovered(page, 'Validation Error')
  })
}

test('toasts at 390 px: the toast of a new alert is shown above an open sheet or command palette and covers no control', async ({
  browser,
}) => {
  const page = await openLiveDashboard(browser, { viewport: { width: 390, height: 844 } })
  // Toasts of alerts are loaded when the browser is idle.
  await expect(page.getByRole('region', { name: 'Market alerts (Alt+T)' })).toBeAttached()
  const dialog = page.getByRole('dialog')
  for (const [overlay, open] of [
    ['sheet', () => page.locator('[data-alert-row]').first().click()],
    ['palette', () => page.keyboard.press('Control+k')],
  ] as const) {
    await open()
    await expect(dialog).toBeVisible()
    const anomalyType = `Under the ${overlay}`
    const data = { asset: 'ETH/USDT', anomalyType, confidence: 97.3, priority: 'high', summary: 'Late' }
    const postResponse = await page.request.post(`${product.url}/api/alerts`, {
      data,
      headers: { origin: product.url },
    })
    expect(postResponse.status()).toBe(201)
    await expectNothingCovered(page, anomalyType)
    const toast = page.locator('li.toast[data-state=open]').filter({ hasText: anomalyType })
    await toast.locator('button[aria-label=Close]').click()
    await expect(toast).toHaveCount(0)
    await expect(dialog, `the ${overlay} stays open`).toBeVisible()
    await closeByEscape(dialog)
  }
})

test('toasts at 390 px: the first toast covers no control when its script loads late', async ({ browser }) => {
  const page = await (await browser.newContext({ ...phone, reducedMotion: 'reduce' })).newPage()
  await holdToasts(page)
  const release = await holdRequests(page, '**/assets/system-toasts-*.js')
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 9 })
  await startSession(page.context(), product.url, product.trader)
  await page.goto(`${product.url}/dashboard`)
  await connectScriptedWallet(page)
  await expect(page.locator('[data-alert-row]').first()).toBeVisible()
  release()
  await expectNothingCovered(page, 'Wallet Connected')
})

async function openDashboard(
  browser: Browser,
  options: BrowserContextOptions,
  account: { email: string; password: string },
): Promise<Page> {
  const page = await (await browser.newContext({ ...options, reducedMotion: 'reduce' })).newPage()
  await holdToasts(page)
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 9 })
  await startSession(page.context(), product.url, account)
  await page.goto(`${product.url}/dashboard`)
  await connectScriptedWallet(page)
  await expect(page.getByRole('heading', { name: 'Market Insights Dashboard' })).toBeVisible()
  await expect(page.locator('[data-alert-row]').first()).toBeVisible()
  await expectNothingCovered(page, 'Wallet Connected')
  await hideToast(page, 'Wallet Connected')
  return page
}

/** Opens the dashboard as the admin, with a live stream. */
async function openLiveDashboard(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const page = await openDashboard(browser, options, product.admin)
  const waitForLiveRead = watchLiveRead(page)
  await page.getByRole('button', { name: 'Verify this wallet' }).click()
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await waitForLiveRead()
  return page
}

/**
 * Keeps every toast open until it is closed, with the pointer events of a mouse that moves over it.
 * On a slow machine, a real pointer could arrive only after the toast has disappeared.
 */
async function holdToasts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    setInterval(() => {
      for (const toast of document.querySelectorAll('li.toast')) {
        for (const type of ['pointerover', 'pointermove'])
          toast.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerType: 'mouse' }))
      }
    }, 100)
  })
}

/** Closes the toast, which could cover the controls of the next steps. */
async function hideToast(page: Page, text: string): Promise<void> {
  const toast = page.locator('li.toast').filter({ hasText: text })
  await toast.locator('button[aria-label="Hide message"]').click()
  await expect(toast).toHaveCount(0)
}

/**
 * Waits until the toast stands still under the pointer, and checks that it covers no control and no
 * verdict.
 */
async function expectNothingCovered(page: Page, text: string): Promise<void> {
  const toast = page.locator('li.toast[data-state=open]').filter({ hasText: text }).first()
  const findCovered = async () => {
    await toast.hover()
    return toast.evaluate((element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect()
      const controlSelector = 'a[href], button, input, select, textarea, summary, [data-never-covered]'
      const scope = document.querySelector('[role=dialog], [role=alertdialog]') ?? document.body
      const coveredElements = new Set<Element>()
      for (let x = left + 1; x < right; x += 6) {
        for (let y = top + 1; y < bottom; y += 6) {
          for (const each of document.elementsFromPoint(x, y)) {
            const control = each.closest(controlSelector)
            if (control && scope.contains(control) && !control.closest('li.toast')) coveredElements.add(control)
          }
        }
      }
      // Alert rows and text areas can fill the screen of a phone or tablet. A toast may cover them
      // if at least 44 px above, below or beside it stay free.
      const isUsable = (candidate: Element) => {
        if (innerWidth >= 1024 || !candidate.matches('[data-alert-row], textarea')) return false
        const box = candidate.getBoundingClientRect()
        return Math.max(top - box.top, box.bottom - bottom, left - box.left, box.right - right) >= 44
      }
      return [...coveredElements].filter((each) => !isUsable(each)).map(({ outerHTML }) => outerHTML.slice(0, 200))
    })
  }
  await expect.poll(findCovered, text).toEqual([])
}
