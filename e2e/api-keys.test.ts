import { expect, type Page } from '@playwright/test'
import { expectAccessible, takeScreenshots } from './accessible.ts'
import { test } from './browser-test.ts'
import { clickCopyButton } from './click-copy-button.ts'
import { requireConfirmation, startSession } from './session.ts'
import { useProduct } from './use-product.ts'

const product = useProduct()

test('API keys: a key created in the settings reads alerts until it is revoked there', async ({ page }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await startSession(page.context(), product.url, product.trader)
  await page.goto(`${product.url}/settings`)
  const section = page.getByRole('region', { name: 'API keys' })
  await expect(section).toContainText('A key lets your program read, stream and verify alerts')
  const row = section.getByRole('listitem')

  const dialog = await openByKeyboard(page, 'Create a key')
  await dialog.getByRole('checkbox', { name: 'Read alerts' }).uncheck()
  await dialog.getByLabel('Requests per minute').fill('601')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog.getByRole('alert')).toHaveText([
    'Please enter a name',
    'Choose at least one permission',
    'Enter a whole number from 10 to 600',
  ])
  await checkPageState(page, 'an API key with errors')

  await dialog.getByLabel('Name').fill('Desk bot')
  await dialog.getByRole('checkbox', { name: 'Read alerts' }).press('Space')
  await dialog.getByRole('checkbox', { name: 'Verify' }).press('Space')
  await dialog.getByLabel('Expires after').selectOption('30 days')
  await dialog.getByLabel('Requests per minute').fill('120')
  await requireConfirmation(page, '**/api/keys')
  await page.keyboard.press('Enter')
  const confirmDialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await confirmDialog.getByLabel('Password', { exact: true }).fill(product.trader.password)
  await confirmDialog.getByRole('button', { name: 'Confirm', exact: true }).click()

  const createdDialog = page.getByRole('dialog', { name: 'Copy your API key' })
  await expect(createdDialog).toContainText('it is not shown again')
  await page.keyboard.press('Escape')
  await clickCopyButton(createdDialog.getByRole('button', { name: 'Copy API key' }))
  const secret = await page.evaluate(() => navigator.clipboard.readText())
  expect(secret).toMatch(/^tocsin_[\w-]{43}$/)
  await checkPageState(page, 'a new API key')
  await createdDialog.getByRole('button', { name: 'I have saved it' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(await page.content()).not.toContain(secret)

  await expect(row).toContainText(`${secret.slice(0, 12)}…`)
  await expect(row).toContainText('Read alerts, Verify. 120 requests a minute.')
  await expect(row).toContainText('Expires in 30 days. Never used.')
  expect(await readAlerts(secret)).toBe(200)
  await page.reload()
  await expect(row).toContainText('Last used: Just now.')
  await checkPageState(page, 'API keys')

  const secondDialog = await openByKeyboard(page, 'Create a key')
  await secondDialog.getByLabel('Name').fill('Greedy bot')
  await secondDialog.getByLabel('Requests per minute').fill('600')
  await page.keyboard.press('Enter')
  await expect(secondDialog.getByRole('alert')).toHaveText(/share 600 requests a minute, and 480 are left/)
  await secondDialog.getByRole('button', { name: 'Cancel' }).click()

  const revokeDialog = await openByKeyboard(page, 'Revoke Desk bot')
  await expect(revokeDialog).toContainText(secret.slice(0, 12))
  await checkPageState(page, 'revoke an API key')
  await revokeDialog.getByRole('button', { name: 'Keep it' }).click()
  expect(await readAlerts(secret)).toBe(200)
  await (await openByKeyboard(page, 'Revoke Desk bot')).getByRole('button', { name: 'Revoke' }).press('Enter')
  await expect(section).toContainText('No API key yet')
  expect(await readAlerts(secret)).toBe(401)
})

async function openByKeyboard(page: Page, name: string) {
  await page.getByRole('button', { name }).press('Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toBeVisible()
  return dialog
}

async function checkPageState(page: Page, state: string): Promise<void> {
  await takeScreenshots(page, state)
  await expectAccessible(page, state)
}

async function readAlerts(secret: string): Promise<number> {
  const headers = { authorization: `Bearer ${secret}` }
  return (await fetch(`${product.url}/api/alerts/recent`, { headers })).status
}
