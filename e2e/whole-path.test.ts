import { expect, type Page, test } from '@playwright/test'
import { logIn } from './log-in.ts'
import { startProductWithEngine } from './product.ts'
import { connectScriptedWallet, installWallet } from './scripted-wallet.ts'
import { expectToastIn, recordToasts } from './toasts.ts'
import { useProduct } from './use-product.ts'
import { watchLiveRead } from './watch-live-read.ts'

// This test runs with animations, unlike most others.
test.use({ contextOptions: { reducedMotion: 'no-preference' } })

const product = useProduct(startProductWithEngine)

const trader = { name: 'Mara Okafor', email: 'mara@northquay.example', password: 'a bell at the harbour' }
const alertSummary = 'Spot volume reached 4.1× its 7-day norm in 90 s; ask depth fell 38%.'

test('product: a trader signs up, pays in ITO, and receives and verifies a live alert, even after a server crash', async ({
  browser,
}) => {
  const page = await browser.newPage()
  await recordToasts(page.context())
  const pageErrors = collectPageErrors(page)
  const waitForLiveRead = watchLiveRead(page)
  const wallet = await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 4 })

  await test.step('the trader signs up and is signed in by the verification link', async () => {
    await page.goto(`${product.url}/auth?tab=sign-up`)
    await page.getByLabel('Name').fill(trader.name)
    await page.getByLabel('Email', { exact: true }).fill(trader.email)
    await page.getByLabel('Password', { exact: true }).fill(trader.password)
    await page.getByLabel('Confirm password').fill(trader.password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect(page.getByText('Email Verification Required')).toBeVisible()

    // Wait until the tab has changed. Before that, the message is already shown above the sign-up
    // form, whose fields have the same labels.
    await expect(page.getByRole('button', { name: 'Log in', exact: true })).toBeVisible()
    await logIn(page, trader)
    await expectToastIn(page, 'Email Verification Required', 'Please verify your email address first.')

    await page.goto(`${product.url}/dev/outbox`)
    await page
      .getByRole('link', { name: /verify-email|Confirm|Verify/ })
      .first()
      .click()
    await expect(page.getByText('Email Verified')).toBeVisible()
    await page.getByRole('link', { name: 'Continue' }).click()
    await expect(page).toHaveURL(`${product.url}/dashboard`)
  })

  await test.step('sees only "Connect Wallet", connects a discovered wallet and proves ownership', async () => {
    const main = page.getByRole('main')
    await expect(main.getByRole('button')).toHaveText(['Connect Wallet'])
    await expect(page.getByText('Market Insights Dashboard')).toBeHidden()
    await connectScriptedWallet(page)
    await expect(page.getByRole('heading', { name: 'Market Insights Dashboard' })).toBeVisible()
    await expect(page.getByText('Local Chain').first()).toBeVisible()
    await expect(page.getByRole('button', { name: 'Balance 1,000 ITO, refresh' })).toBeVisible()
    expect(await page.evaluate(() => window.scrollY), 'closing the dialog must not scroll the page').toBe(0)
    await page.getByRole('button', { name: 'Verify this wallet' }).click()
    await expect(page.getByText('This wallet is connected but not verified yet.')).toBeHidden()
    expect(wallet.requestedMethods).toContain('personal_sign')
  })

  await test.step('pays 10 ITO for 6 hours', async () => {
    await page.getByRole('button', { name: 'Select Plan' }).first().click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('heading', { name: 'Confirm purchase' })).toBeVisible()
    wallet.rejectNext('eth_sendTransaction')
    await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
    await expect(dialog.getByText('You cancelled in your wallet. Nothing was sent.')).toBeVisible()
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await expect(dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
    await dialog.getByRole('button', { name: 'Open dashboard' }).click()
    await expect(page.getByRole('button', { name: 'Balance 990 ITO, refresh' })).toBeVisible()
  })

  const admin = await browser.newPage()
  await recordToasts(admin.context())
  await test.step('an alert that an admin creates is shown to the trader and then anchored', async () => {
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
    await waitForLiveRead()
    // Move the pointer away: while it is over the list, the list does not update.
    await page.mouse.move(0, 0)
    // Open another page, because no toast is shown for an alert that a list on the screen shows.
    await page.getByRole('link', { name: 'History', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'History', level: 1 })).toBeVisible()
    await admin.goto(`${product.url}/admin-auth`)
    await logIn(admin, product.admin)
    await expect(admin).toHaveURL(/\/admin/)
    await createAlert(admin, alertSummary)
    // A toast shows its summary only until the next alert, which the engine may issue immediately.
    await expectToastIn(page, 'Critical', /Spot volume reached 4\.1× its 7-day norm in 90\ss; ask depth fell 38%\./)
    await page.getByRole('link', { name: 'Dashboard' }).click()
    const row = getRow(page, alertSummary)
    await expect(row.getByText('Anchored', { exact: true })).toBeVisible()
  })

  await test.step('verifies the alert; verification fails at the first check when one byte is changed', async () => {
    const row = getRow(page, alertSummary)
    await row.getByRole('button', { name: alertSummary }).click()
    // Until the alert is opened, the detail shows the newest alert, which can be another one.
    const detail = page.getByRole('complementary', { name: 'Selected alert' })
    await expect(detail).toContainText(alertSummary)
    await detail.getByRole('link', { name: 'Check proof' }).click()
    await expect(page).toHaveURL(/\/verification/)
    await page.getByRole('button', { name: 'Verify alert' }).click()
    await expect(page.getByText('Verified', { exact: true }).first()).toBeVisible()
    await expect(page.getByText('6 of 6')).toBeVisible()

    const json = page.getByLabel('Alert JSON')
    await json.fill((await json.inputValue()).replace('4.1×', '4.2×'))
    await page.getByRole('button', { name: 'Verify alert' }).click()
    await expect(page.getByText('Failed at step 1').first()).toBeVisible()
    await expectToastIn(page, 'Verification Failed', 'The alert signature could not be verified')
  })

  await test.step('keeps all data and shows missed alerts after the server was killed and restarted', async () => {
    await page.goto(`${product.url}/dashboard`)
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
    // Wait for all scripts, because one that is still loading would fail when the server is killed.
    await page.waitForLoadState('networkidle')
    await product.stop('SIGKILL')
    await expect(page.getByText(/^(Reconnecting|Offline)$/).first()).toBeVisible()
    await product.start()
    const missedSummary = 'Issued while the page was away.'
    await admin.reload()
    await createAlert(admin, missedSummary)
    await expect(getRow(page, missedSummary)).toBeVisible()
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
    await expect(getRow(page, alertSummary)).toBeVisible()
    await page.reload()
    await expect(page.getByText('Active', { exact: true })).toBeVisible()
    await expect(getRow(page, missedSummary)).toBeVisible()
  })

  expect(pageErrors()).toEqual([])
})

async function createAlert(admin: Page, summary: string): Promise<void> {
  await admin.getByRole('tab', { name: 'Alerts' }).click()
  await admin.getByLabel('Asset').fill('ETH/USDT')
  await admin.getByLabel('Anomaly type').fill('Volume spike')
  await admin.getByLabel('Confidence').fill('97.3')
  await admin.getByLabel('Summary').fill(summary)
  await admin.getByText('Critical', { exact: true }).first().click()
  await admin.getByRole('button', { name: 'Create Alert' }).click()
  await admin.getByLabel('Type CRITICAL to confirm').fill('CRITICAL')
  await admin.getByRole('button', { name: 'Create and broadcast' }).click()
  await expectToastIn(admin, 'Alert Created', 'New market alert has been created and broadcasted.')
}

function getRow(page: Page, summary: string) {
  return page.getByRole('article').filter({ hasText: summary }).first()
}

/** Collects page errors and console errors, including CSP violations, but no network errors. */
function collectPageErrors(page: Page): () => string[] {
  const pageErrors: string[] = []
  page.on('pageerror', (error) => pageErrors.push(String(error)))
  page.on('console', (message) => {
    const isNetwork = /Failed to load resource|WebSocket connection|ERR_CONNECTION/.test(message.text())
    if (message.type() === 'error' && !isNetwork) pageErrors.push(message.text())
  })
  return () => pageErrors
}
