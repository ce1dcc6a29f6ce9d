import { expect, type Page } from '@playwright/test'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { productionEnv, startTestChain, startTestDatabase } from '@tocsin/testkit'
import { test } from './browser-test.ts'
import { closeByEscape } from './close-dialog.ts'
import { logIn } from './log-in.ts'
import { type Running, run } from './product.ts'

/**
 * The built product with an external database and chain, as an operator starts it, before the first
 * admin exists.
 */
let database: Awaited<ReturnType<typeof startTestDatabase>>
let chain: Awaited<ReturnType<typeof startTestChain>>
let env: Record<string, string>
let running: Running | undefined

test.beforeAll(async () => {
  ;[database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
  const port = String(await findFreePort())
  const databaseUrl = await database.createDatabase()
  env = { ...productionEnv(databaseUrl, chain), PORT: port, PUBLIC_URL: `http://localhost:${port}` }
  running = await run(env, 'Tocsin is up')
})
test.afterAll(async () => {
  await running?.stop()
  await Promise.all([database?.stop(), chain?.stop()])
})

test('first admin: the printed setup link creates one admin, works once and is not printed again', async ({
  browser,
}) => {
  const link = linkIn(running)
  expect(link).toMatch(/^http:\/\/localhost:\d+\/admin-auth#setup=[\w-]{43}$/)
  const page = await browser.newPage()
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Create the first admin' })).toBeVisible()
  await expect(page, 'the setup token is removed from the URL').toHaveURL(`${env.PUBLIC_URL}/admin-auth`)
  await page.getByLabel('Name').fill('Ada')
  await page.getByLabel('Email').fill('ada@northquay.example')
  await page.getByLabel('Password', { exact: true }).fill('a bell at the harbour')
  await page.getByLabel('Confirm password').fill('a bell at the harbour')
  await page.getByRole('button', { name: 'Create admin' }).click()
  await expect(page).toHaveURL(/\/admin$/)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByRole('main').getByText('No alerts yet')).toBeVisible()
  await page.getByRole('tab', { name: 'Alerts' }).click()
  await expect(page.getByRole('region', { name: 'Alert History' })).toContainText('No alerts generated yet')
  await page.goto(`${env.PUBLIC_URL}/notifications`)
  await expect(page.getByRole('region', { name: 'Alerts', exact: true })).toContainText('No alerts yet')
  await page.goto(`${env.PUBLIC_URL}/dashboard`)
  await page.getByRole('main').getByRole('button', { name: 'Connect Wallet' }).click()
  await expect(page.getByRole('dialog').getByText('No browser wallet is installed.')).toBeVisible()
  await closeByEscape(page.getByRole('dialog'))

  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(`${env.PUBLIC_URL}/`)
  expect(await storedHints(page), 'logging out of the trader area keeps the admin hint').toEqual([null, null, 'true'])
  await page.goto(`${env.PUBLIC_URL}/admin-auth`)
  await logIn(page, { email: 'ada@northquay.example', password: 'a bell at the harbour' })
  await expect(page).toHaveURL(/\/admin$/)
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(`${env.PUBLIC_URL}/`)
  expect(await storedHints(page), 'logging out of the admin area clears all hints').toEqual([null, null, null])

  const stranger = await (await browser.newContext()).newPage()
  await stranger.goto(link)
  await stranger.getByLabel('Name').fill('Eve')
  await stranger.getByLabel('Email').fill('eve@northquay.example')
  await stranger.getByLabel('Password', { exact: true }).fill('a bell of another')
  await stranger.getByLabel('Confirm password').fill('a bell of another')
  await stranger.getByRole('button', { name: 'Create admin' }).click()
  await expect(stranger.getByRole('heading', { name: 'Invalid Setup Link' })).toBeVisible()

  await running?.stop()
  running = await run(env, 'Tocsin is up')
  expect(linkIn(running)).toBe('')
})

function storedHints(page: Page): Promise<(string | null)[]> {
  return page.evaluate(() => ['userAuth', 'userData', 'adminAuth'].map((key) => localStorage.getItem(key)))
}

function linkIn(program: Running | undefined): string {
  return program?.output.match(/\S+#setup=\S+/)?.[0] ?? ''
}
