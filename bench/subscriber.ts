import type { Page } from '@playwright/test'
import type { Product } from '../e2e/product.ts'
import { installWallet } from '../e2e/scripted-wallet.ts'

/** Signs in as the demo's trader, connects a wallet and buys a plan. Ends on the dashboard. */
export async function becomeSubscriber(page: Page, { url, chainUrl, trader }: Product): Promise<void> {
  await installWallet(page, { chainUrl, accountIndex: 5 })
  await page.goto(`${url}/auth`)
  await page.getByLabel('Email', { exact: true }).fill(trader.email)
  await page.getByLabel('Password', { exact: true }).fill(trader.password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await page.getByRole('main').getByRole('button', { name: 'Connect Wallet' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Scripted Wallet' }).click()
  await page.getByRole('button', { name: 'Verify this wallet' }).click()
  await page.getByText('This wallet is connected but not verified yet.').waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Select Plan' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pay 10 ITO' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Open dashboard' }).click()
  await page.getByText('Live', { exact: true }).waitFor()
}
