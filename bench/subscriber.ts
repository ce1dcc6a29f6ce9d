import type { Page } from '@playwright/test'
import { logIn } from '../e2e/log-in.ts'
import type { Product } from '../e2e/product.ts'
import { connectScriptedWallet, installWallet } from '../e2e/scripted-wallet.ts'

/** Signs in as the demo's trader, connects a wallet and buys a plan. Ends on the dashboard. */
export async function becomeSubscriber(page: Page, { url, chainUrl, trader }: Product): Promise<void> {
  await installWallet(page, { chainUrl, accountIndex: 5 })
  await page.goto(`${url}/auth`)
  await logIn(page, trader)
  await connectScriptedWallet(page)
  await page.getByRole('button', { name: 'Verify this wallet' }).click()
  await page.getByText('This wallet is connected but not verified yet.').waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Select Plan' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pay 10 ITO' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Open dashboard' }).click()
  await page.getByText('Live', { exact: true }).waitFor()
}
