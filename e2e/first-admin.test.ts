import { expect, type Page } from '@playwright/test'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { productionEnv, startTestChain, startTestDatabase } from '@tocsin/testkit'
import { generateSync } from 'otplib'
import { test } from './browser-test.ts'
import { closeByEscape } from './close-dialog.ts'
import { logIn } from './log-in.ts'
import { type RunningProduct, runProduct } from './product.ts'
import { addVirtualAuthenticator } from './virtual-authenticator.ts'

/**
 * These tests run the built product as an operator starts it: with an external database and chain,
 * before the first admin exists.
 */
let database: Awaited<ReturnType<typeof startTestDatabase>>
let chain: Awaited<ReturnType<typeof startTestChain>>
let env: Record<string, string>
let runningServer: RunningProduct | undefined

test.beforeAll(async () => {
  ;[database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
  const port = String(await findFreePort())
  const databaseUrl = await database.createDatabase()
  env = { ...productionEnv(databaseUrl, chain), PORT: port, PUBLIC_URL: `http://localhost:${port}` }
  runningServer = await runProduct(env, 'Tocsin is up')
})
test.afterAll(async () => {
  await runningServer?.stop()
  await Promise.all([database?.stop(), chain?.stop()])
})

test('first admin: the printed setup link creates one admin, works once and is not printed again', async ({
  browser,
}) => {
  const link = findSetupLink(runningServer)
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

  const authenticator = await addVirtualAuthenticator(page)
  await expect(page.getByRole('heading', { name: 'Set up two-factor authentication' })).toBeVisible()
  await page.goto(`${env.PUBLIC_URL}/admin`)
  await expect(page, 'the admin area stays closed before enrolment').toHaveURL(/\/admin-auth$/)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByLabel('Name').fill('Work laptop')
  await page.getByRole('button', { name: 'Create passkey' }).click()
  const codes = await saveRecoveryCodes(page)
  await expect(page).toHaveURL(/\/admin$/)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.getByRole('tab', { name: 'Dashboard' }).click()
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
  expect(await readStoredHints(page), 'logging out of the trader area keeps the admin hint').toEqual([
    null,
    null,
    'true',
  ])
  await page.goto(`${env.PUBLIC_URL}/admin-auth`)
  await logIn(page, { email: 'ada@northquay.example', password: 'a bell at the harbour' })
  await expect(page.getByRole('heading', { name: 'Confirm your sign-in' })).toBeVisible()
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(page).toHaveURL(/\/admin$/)
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(`${env.PUBLIC_URL}/`)
  expect(await readStoredHints(page), 'logging out of the admin area clears all hints').toEqual([null, null, null])

  await page.goto(`${env.PUBLIC_URL}/auth`)
  await page.getByRole('button', { name: 'Log in with a passkey' }).click()
  await expect(page, 'a passkey signs in without a password').toHaveURL(/\/dashboard/)
  await page.goto(`${env.PUBLIC_URL}/settings`)
  const factors = page.getByRole('region', { name: 'Two-factor authentication' })
  await expect(factors).toContainText('Work laptop')
  await factors.getByRole('button', { name: 'Set up an authenticator app' }).click()
  const confirmation = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await expect(confirmation, 'a fresh sign-in is no confirmation').toBeVisible()
  await expect(confirmation.getByLabel('Password')).toHaveCount(0)
  await confirmation.getByRole('button', { name: 'Use a passkey' }).click()
  const enrolment = page.getByRole('dialog', { name: 'Set up an authenticator app' })
  await expect(enrolment.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible()
  const secret = (await enrolment.locator('code').textContent())?.replace(/\s/g, '') ?? ''
  await enrolment.getByLabel('Code from the app').fill('000000')
  await enrolment.getByRole('button', { name: 'Turn on' }).click()
  await expect(enrolment).toContainText('This code is wrong')
  await enrolment.getByLabel('Code from the app').fill(generateSync({ secret }))
  await enrolment.getByRole('button', { name: 'Turn on' }).click()
  await expect(enrolment).toHaveCount(0)
  await expect(factors.getByRole('button', { name: 'Remove the authenticator app' })).toBeVisible()
  await factors.getByRole('button', { name: 'Remove Work laptop' }).click()
  await expect(factors).not.toContainText('Work laptop')

  // The owner has lost the passkey and signs in with a recovery code in another browser.
  await authenticator.remove()
  const recoveryPage = await (await browser.newContext()).newPage()
  await recoveryPage.goto(`${env.PUBLIC_URL}/admin-auth`)
  await logIn(recoveryPage, { email: 'ada@northquay.example', password: 'a bell at the harbour' })
  await recoveryPage.getByRole('button', { name: 'Use a recovery code' }).click()
  await recoveryPage.getByLabel('Recovery code').fill(codes[0] ?? '')
  await recoveryPage.getByRole('button', { name: 'Confirm' }).click()
  await expect(recoveryPage).toHaveURL(/\/admin$/)
  await recoveryPage.goto(`${env.PUBLIC_URL}/settings`)
  await expect(recoveryPage.getByRole('region', { name: 'Two-factor authentication' })).toContainText('9 of 10 left')
  await enterEnrolmentCode(recoveryPage, codes[1] ?? '', await (await browser.newContext()).newPage())
  await recoveryPage.context().close()

  const stranger = await (await browser.newContext()).newPage()
  await stranger.goto(link)
  await stranger.getByLabel('Name').fill('Eve')
  await stranger.getByLabel('Email').fill('eve@northquay.example')
  await stranger.getByLabel('Password', { exact: true }).fill('a bell of another')
  await stranger.getByLabel('Confirm password').fill('a bell of another')
  await stranger.getByRole('button', { name: 'Create admin' }).click()
  await expect(stranger.getByRole('heading', { name: 'Invalid Setup Link' })).toBeVisible()

  await runningServer?.stop()
  runningServer = await runProduct(env, 'Tocsin is up')
  expect(findSetupLink(runningServer)).toBe('')
})

/**
 * Issues an enrolment code as the owner, and uses it as Bob. Staff without a second factor need
 * such a code, because their password alone must not be enough to enrol one.
 * @param code a recovery code of the owner
 */
async function enterEnrolmentCode(owner: Page, code: string, bob: Page): Promise<void> {
  await database.execute(
    env.DATABASE_URL ?? '',
    `insert into accounts (email, name, password_hash, role, email_verified_at, created_at)
     select 'bob@northquay.example', 'Bob', password_hash, 'support', now(), now() from accounts where name = 'Ada'`,
  )
  await owner.goto(`${env.PUBLIC_URL}/admin?tab=users`)
  await owner.getByRole('button', { name: 'Bob', exact: true }).click()
  await owner.getByRole('button', { name: 'Issue a code' }).click()
  await owner.getByRole('button', { name: 'Use a recovery code' }).click()
  await owner.getByLabel('Recovery code').fill(code)
  await owner.getByRole('button', { name: 'Confirm', exact: true }).click()
  const codeDialog = owner.getByRole('dialog', { name: 'Enrolment code' })
  const enrolmentCode = (await codeDialog.locator('code').textContent()) ?? ''
  expect(enrolmentCode).toMatch(/^[0-9a-z]{4}(-[0-9a-z]{4}){3}$/)
  await codeDialog.getByRole('button', { name: 'Done' }).click()

  await bob.goto(`${env.PUBLIC_URL}/admin-auth`)
  await logIn(bob, { email: 'bob@northquay.example', password: 'a bell at the harbour' })
  await expect(bob.getByRole('heading', { name: 'Set up two-factor authentication' })).toBeVisible()
  await expect(bob.getByRole('button', { name: /passkey|authenticator/ })).toHaveCount(0)
  await bob.getByLabel('Enrolment code').fill('0000-0000-0000-0000')
  await bob.getByRole('button', { name: 'Continue' }).click()
  await expect(bob.getByText('This code is wrong, used or expired. Ask an owner for a new one.')).toBeVisible()
  await bob.getByLabel('Enrolment code').fill(enrolmentCode)
  await bob.getByRole('button', { name: 'Continue' }).click()
  await expect(bob.getByRole('button', { name: 'Set up an authenticator app' })).toBeVisible()
  await bob.context().close()
}

/**
 * Returns the recovery codes and closes their dialog, which asks for confirmation once, because the
 * codes were neither copied nor downloaded.
 */
async function saveRecoveryCodes(page: Page): Promise<string[]> {
  const dialog = page.getByRole('dialog', { name: 'Save your recovery codes' })
  await expect(dialog.getByRole('listitem')).toHaveCount(10)
  const codes = await dialog.getByRole('listitem').allTextContents()
  await dialog.getByRole('button', { name: 'I have saved them' }).click()
  await expect(dialog.getByRole('alert')).toContainText('neither copied nor downloaded')
  await dialog.getByRole('button', { name: 'Close without saving' }).click()
  return codes
}

function readStoredHints(page: Page): Promise<(string | null)[]> {
  return page.evaluate(() => ['userAuth', 'userData', 'adminAuth'].map((key) => localStorage.getItem(key)))
}

function findSetupLink(program: RunningProduct | undefined): string {
  return program?.output.match(/\S+#setup=\S+/)?.[0] ?? ''
}
