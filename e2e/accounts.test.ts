import { type Browser, expect, type Locator, type Page } from '@playwright/test'
import { startIdentityProvider, type TestIdentityProvider } from '@tocsin/testkit'
import { displayModes, expectAccessible, takeScreenshots } from './accessible.ts'
import { test } from './browser-test.ts'
import { closeByEscape } from './close-dialog.ts'
import { holdRequests } from './hold-requests.ts'
import { logIn } from './log-in.ts'
import { findLink, waitForMail } from './outbox.ts'
import { type Product, startProduct } from './product.ts'
import { installWallet } from './scripted-wallet.ts'
import { type Login, startSession } from './session.ts'
import { tabTo } from './tab-to.ts'
import { expectToastIn, recordToasts } from './toasts.ts'
import { visit } from './visit.ts'

let product: Product
let google: TestIdentityProvider

test.beforeAll(async () => {
  google = await startIdentityProvider()
  const { clientId, clientSecret, issuer } = google.settings
  product = await startProduct({
    GOOGLE_CLIENT_ID: clientId,
    GOOGLE_CLIENT_SECRET: clientSecret,
    OAUTH_ISSUER_GOOGLE: issuer,
  })
  google.redirectUris.push(`${product.url}/api/auth/google/callback`)
})
test.afterAll(async () => {
  await product?.discard()
  await google?.stop()
})

let checkedStates = 0
/**
 * Takes screenshots if enabled and checks accessibility, alternately on desktop and on phone. All
 * widths and themes are covered by screens.test.ts. All results of emailed links have the same
 * layout, so only one success and one failure are checked.
 */
async function checkPageState(page: Page, state: string): Promise<void> {
  checkedStates += 1
  await takeScreenshots(page, state)
  await expectAccessible(page, state, [checkedStates % 2 === 0 ? displayModes.desktop : displayModes.phone])
}

const password = 'a bell at the harbour'

const passkey = { id: 'passkey-1', name: 'Passkey “Laptop”', addedAt: '2026-01-15T12:00:00.000Z' }
const CHECK_RESET_PATTERN = '**/api/auth/reset-password/check'
/** Response to the check of a valid reset link. */
const validLinkResponse = {
  success: true,
  expired: false,
  message: 'Choose a new password.',
  minLength: 6,
  waysIn: { identities: [], wallets: [], destinations: [], factors: [passkey] },
}

test('keyboard: sign-up, email verification, login and settings work without a mouse', async ({ page }) => {
  const email = 'keys@northquay.example'
  await recordToasts(page.context())
  await page.goto(`${product.url}/auth`)
  await tabTo(page.getByRole('tab', { name: 'Log in' }))
  await page.keyboard.press('ArrowRight')
  await expect(page).toHaveURL(/tab=sign-up/)
  for (const [label, value] of [
    ['Name', 'Kay Bord'],
    ['Email', email],
    ['Password', password],
    ['Confirm password', password],
  ] as const) {
    await tabTo(page.getByLabel(label, { exact: true }))
    await page.keyboard.type(value)
  }
  await page.keyboard.press('Enter')
  await expect(page.getByText('Email Verification Required')).toBeVisible()
  await expect(page.getByText(`We sent a link to ${email}.`)).toBeVisible()
  await checkPageState(page, 'waiting for verification')
  // Wait for the first email, because emails that are queued at the same time are sent in any
  // order.
  await waitForMail(product, email, /./)
  await tabTo(page.getByRole('button', { name: 'Resend' }))
  await page.keyboard.press('Enter')
  await expectToastIn(page, 'Verification Email Sent', /./)
  await tabTo(page.getByRole('button', { name: 'Dismiss' }))
  await page.keyboard.press('Enter')
  await expect(page.getByText('Email Verification Required')).toBeHidden()

  // Use the link of the second email. It has invalidated the link of the first one.
  const link = findLink('/verify-email', await waitForMail(product, email, /./, 2))
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Email Verified' })).toBeVisible()
  await expect(page, 'the token is removed from the URL').toHaveURL(`${product.url}/verify-email`)
  await checkPageState(page, 'verified')
  await tabTo(page.getByRole('link', { name: 'Continue' }))
  await page.keyboard.press('Enter')
  await expect(page, 'the link signed in').toHaveURL(`${product.url}/dashboard`)
  expect(await readStoredHints(page)).toEqual({
    userAuth: 'true',
    userData: JSON.stringify({ email, name: 'Kay Bord' }),
    adminAuth: null,
  })

  await tabTo(page.getByRole('link', { name: 'Settings' }).first())
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`${product.url}/settings`)
  const changeNameButton = page.getByRole('button', { name: 'Change name' })
  await tabTo(changeNameButton)
  await page.keyboard.press('Enter')
  await closeByEscape(page.getByRole('dialog'))
  await expect(changeNameButton, 'focus is restored').toBeFocused()
  await page.keyboard.press('Enter')
  await tabTo(page.getByRole('dialog').getByLabel('Name'))
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('Kay Board')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Welcome, Kay Board').first()).toBeVisible()

  await page.goto(link)
  await expect(page.getByText('This verification link is invalid, was already used, or has expired.')).toBeVisible()
})

test('/auth: shows the server’s error messages, and every form is accessible with its errors', async ({ page }) => {
  const clickButton = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const fillField = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value)
  const signUp = async (secret: string) => {
    await fillField('Name', 'Mara')
    await fillField('Email', 'mara@northquay.example')
    await fillField('Password', secret)
    await fillField('Confirm password', secret)
    await clickButton('Create account')
  }
  const states: [path: string, act: () => Promise<void>, message: string][] = [
    [
      '/auth',
      () => logIn(page, { email: 'unknown@northquay.example', password }),
      'Invalid email or password. Please try again.',
    ],
    [
      '/auth?tab=sign-up',
      async () => {
        await signUp('password123')
        await expectToastIn(page, 'Registration Failed', /./)
      },
      'This password is too common. Please choose another one.',
    ],
    ['/auth?mode=forgot-password', () => clickButton('Send reset link'), 'Please enter your email address'],
    ['/auth?provider_error=not_configured', async () => {}, 'This provider is not configured here.'],
  ]
  await recordToasts(page.context())
  for (const [path, act, message] of states) {
    await page.goto(product.url + path)
    await expect(page.getByRole('link', { name: 'Google' }).or(page.getByLabel('Email')).first()).toBeVisible()
    await act()
    await expect(page.getByText(message).first(), path).toBeVisible()
    await checkPageState(page, `${path}: ${message}`)
  }
})

test('settings: says that the email quota is used up when the server responds with 429 to a change of the email address', async ({
  browser,
}) => {
  const message = 'Too many emails were requested. Nothing was sent. Try again in 42 minutes.'
  const refusal = { success: false, code: 'too_many_requests', message, requestId: 'r' }
  const ownPage = await openSignedInPage(browser, product.trader, '/settings')
  await ownPage.route('**/api/account/email', (route) => route.fulfill({ status: 429, json: refusal }))
  await ownPage.getByRole('button', { name: 'Change email' }).click()
  const dialog = ownPage.getByRole('dialog')
  await dialog.getByLabel('New email').fill('quota@northquay.example')
  await dialog.getByRole('button', { name: 'Send link' }).click()
  await expect(dialog.getByText(message)).toBeVisible()
})

test('sign-in: keeps the chosen plan after a provider login or an email verification', async ({ browser }) => {
  const choosePlan = async (): Promise<Page> => {
    const page = await openNewPage(browser)
    await page.goto(`${product.url}/dashboard?plan=24h`)
    await expect(page).toHaveURL(/\/auth\?tab=sign-up&next=/)
    return page
  }
  const expectPlanPurchase = async (page: Page) => {
    await expect(page).toHaveURL(`${product.url}/dashboard`)
    await expect(page.getByRole('dialog').getByText('24 hours').first()).toBeVisible()
  }
  await test.step('the chosen plan is kept after a login through an identity provider', async () => {
    google.person = { sub: 'plan', email: 'plan@northquay.example', email_verified: true, name: 'Pia Lan' }
    const page = await choosePlan()
    await page.getByRole('link', { name: 'Google' }).click()
    await expectPlanPurchase(page)
  })
  await test.step('the chosen plan is kept when the link of the verification email is opened', async () => {
    const email = 'plan-by-mail@northquay.example'
    const page = await choosePlan()
    const registerResponse = await postJson('/api/auth/register', { name: 'Pia', email, password })
    expect(registerResponse.status).toBe(200)
    await page.goto(findLink('/verify-email', await waitForMail(product, email, /./)))
    await page.getByRole('link', { name: 'Continue' }).click()
    await expectPlanPurchase(page)
  })
})

test('sign-in: the user stays signed in when a session check that began before the login ends after the login', async ({
  page,
}) => {
  let resolveLogin: () => void = () => {}
  const loginCompleted = new Promise<void>((resolve) => {
    resolveLogin = resolve
  })
  await page.route(
    '**/api/auth/user',
    async (route) => {
      const response = await route.fetch()
      await loginCompleted
      // Ignore the error: the page has cancelled the request.
      await route.fulfill({ response }).catch(() => {})
    },
    { times: 1 },
  )
  const cancelled = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/auth/user'))
  await page.goto(`${product.url}/auth`)
  await logIn(page, product.trader)
  await cancelled
  resolveLogin()
  await expect(page).toHaveURL(`${product.url}/dashboard`)
  await expect(page.getByText('Welcome, Jonas Lindqvist').first()).toBeVisible()
})

test('account forms: every field has the autocomplete value that password managers expect', async ({ page }) => {
  const getFields = (locator: Locator) =>
    locator
      .locator('input')
      .evaluateAll((inputs: HTMLInputElement[]) =>
        inputs.filter((input) => input.type !== 'checkbox').map(({ name, autocomplete }) => `${name}: ${autocomplete}`),
      )
  const expectedForms: [path: string, fields: string[]][] = [
    ['/auth', ['email: username', 'password: current-password']],
    ['/auth?tab=sign-up', ['name: name', 'email: username', 'password: new-password', 'confirmPassword: new-password']],
    ['/auth?mode=forgot-password', ['email: username']],
    ['/reset-password?token=x', ['password: new-password', 'confirmPassword: new-password']],
    ['/admin-auth', ['email: username', 'password: current-password']],
  ]
  await page.route(CHECK_RESET_PATTERN, (route) => route.fulfill({ json: validLinkResponse }))
  for (const [path, fields] of expectedForms) {
    await visit(page, product.url, path)
    const formLocator = page.locator('form')
    await expect.poll(() => getFields(formLocator), path).toEqual(fields)
    await expect(formLocator).toHaveCount(1)
  }
  await startSession(page.context(), product.url, product.trader)
  await page.goto(`${product.url}/settings`)
  await page.getByRole('button', { name: 'Change password' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toBeVisible()
  expect(await getFields(dialog)).toEqual([
    'username: username',
    'currentPassword: current-password',
    'password: new-password',
    'confirmPassword: new-password',
  ])
})

test('emailed links: /verify-email and /reset-password reject invalid tokens; the reset form is accessible', async ({
  page,
}) => {
  await page.goto(`${product.url}/verify-email?token=made-up`)
  await expect(page.getByRole('heading', { name: 'Verification Failed' })).toBeVisible()
  await checkPageState(page, 'made-up verification link')
  await page.goto(`${product.url}/reset-password?token=made-up`)
  await expect(page.getByRole('heading', { name: 'Invalid Reset Link' })).toBeVisible()
  await takeScreenshots(page, 'a made-up reset link')

  await page.route(CHECK_RESET_PATTERN, (route) => route.fulfill({ json: validLinkResponse }))
  const release = await holdRequests(page, '**/assets/reset-password-page*')
  await page.goto(`${product.url}/reset-password?token=made-up`, { waitUntil: 'commit' })
  await expect(page.getByText('Opening your link…')).toBeVisible()
  await takeScreenshots(page, 'opening a reset link')
  release()
  await expect(page.getByRole('heading', { name: 'Choose a new password' })).toBeVisible()
  await page.getByRole('button', { name: 'Reset password' }).click()
  await expect(page.getByText('Please fill in all fields').first()).toBeVisible()
  await page.getByLabel('Remove Passkey “Laptop”').check()
  await expect(page.getByLabel('Code to remove second factors')).toBeVisible()
  await checkPageState(page, 'reset form')
})

test('password reset: the link works once, and an open session shows that it was signed out', async ({ browser }) => {
  const email = 'forgetful@northquay.example'
  const oldSession = await openSignedInPage(browser, await signUp('Fay Getful', email))
  await expect(oldSession.getByRole('heading', { level: 1 }).first()).toBeVisible()
  // Leave these requests of the old session without a response: a poll, or a read of the alerts
  // after the log has grown, would detect the end of the session before the test clicks a link in
  // this page.
  await oldSession.route(/\/api\/(alerts|log|subscriptions)\//, () => {})
  const page = await openNewPage(browser)
  await page.goto(`${product.url}/auth?mode=forgot-password`)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Send reset link' }).click()
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible()
  await checkPageState(page, 'reset link sent')
  const link = findLink('/reset-password', await waitForMail(product, email, /reset/i))

  const choosePassword = async (secret: string) => {
    await page.goto(link)
    await page.getByLabel('New password').fill(secret)
    await page.getByLabel('Confirm password').fill(secret)
    await page.getByRole('button', { name: 'Reset password' }).click()
  }
  await choosePassword('a bell on the hill')
  await expect(page.getByRole('heading', { name: 'Password Reset' })).toBeVisible()
  await takeScreenshots(page, 'password reset')
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Invalid Reset Link' })).toBeVisible()
  await takeScreenshots(page, 'a used reset link')

  await oldSession.getByRole('link', { name: 'History' }).click()
  await expect(oldSession.getByText('You were signed out')).toBeVisible()
  await expect(oldSession).toHaveURL(/\/auth\?next=%2Fhistory/)
  await logIn(oldSession, { email, password: 'a bell on the hill' })
  await expect(oldSession).toHaveURL(`${product.url}/history`)
})

test('admin sign-in: shows every error, and rejects a setup link when it is invalid', async ({ page }) => {
  await page.goto(`${product.url}/admin-auth`)
  await page.getByRole('button', { name: 'Log in as admin' }).click()
  await expect(page.getByText('Please fill in all fields').first()).toBeVisible()
  await logIn(page, { email: product.admin.email, password: 'not the password' })
  await expect(page.getByText('Invalid credentials').first()).toBeVisible()
  await checkPageState(page, 'access denied')
  await page.route('**/api/auth/login', (route) => route.abort())
  await logIn(page, product.admin)
  await expect(page.getByText('Login Error').first()).toBeVisible()
  await takeScreenshots(page, 'admin login error')
  await expect(page.getByText('Network error').first()).toBeVisible()
  await page.unroute('**/api/auth/login')

  await logIn(page, product.trader)
  await expect(page.getByText('Admin privileges required').first()).toBeVisible()
  await checkPageState(page, 'admin privileges missing')

  await page.context().clearCookies()
  await page.goto(`${product.url}/admin-auth#setup=made-up`)
  await page.reload()
  await page.goto(`${product.url}/nowhere`)
  await page.goto(`${product.url}/admin-auth#setup=made-up`)
  await expect(page.getByRole('heading', { name: 'Create the first admin' })).toBeVisible()
  await expect(page, 'the token is removed from the URL').toHaveURL(`${product.url}/admin-auth`)
  await checkPageState(page, 'first admin')
  await page.getByLabel('Name').fill('Ada')
  await page.getByLabel('Email').fill('ada@northquay.example')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill(password)
  await page.getByRole('button', { name: 'Create admin' }).click()
  await expect(page.getByRole('heading', { name: 'Invalid Setup Link' })).toBeVisible()
  await takeScreenshots(page, 'invalid setup link')
  await page.getByRole('link', { name: 'Go to admin sign-in' }).click()
  await expect(page.getByRole('button', { name: 'Log in as admin' })).toBeVisible()
})

test('wallet sign-in: works, and can be retried when the wallet rejects, hangs or signs incorrectly', async ({
  page,
}) => {
  const loadedUrls: string[] = []
  page.on('request', (request) => loadedUrls.push(request.url()))
  const wallet = await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 4 })
  await page.goto(`${product.url}/auth`)
  await expect(page.getByRole('button', { name: 'Sign in with a wallet' })).toBeVisible()
  expect(loadedUrls.filter((url) => /engine|wallet-(sign-in-dialog|challenge|list)/.test(url))).toEqual([])
  await page.getByRole('button', { name: 'Sign in with a wallet' }).click()
  const dialog = page.getByRole('dialog')
  const scriptedWalletButton = dialog.getByRole('button', { name: 'Scripted Wallet' })
  await expect(scriptedWalletButton).toBeVisible()
  await checkPageState(page, 'wallet list')

  for (const method of ['wallet_requestPermissions', 'personal_sign']) {
    wallet.rejectNext(method)
    await scriptedWalletButton.click()
    // Wait for the request to the wallet. Before it, the page removes the message of the previous
    // attempt.
    await expect.poll(() => wallet.requestedMethods).toContain(method)
    await expect(dialog.getByText('You cancelled in your wallet. Nothing was sent.'), method).toBeVisible()
    await expect(dialog.getByRole('alert')).toHaveCount(0)
  }
  await checkPageState(page, 'rejected in the wallet')

  // The dialog shows its text before it sends the request to the wallet. Wait for the request,
  // because the test then sets the response to the next one.
  const countSignRequests = () => wallet.requestedMethods.filter((method) => method === 'personal_sign').length
  wallet.respondNext('personal_sign', new Promise(() => {}))
  await scriptedWalletButton.click()
  await expect(dialog.getByText('Sign the message in your wallet.')).toBeVisible()
  await expect.poll(countSignRequests).toBe(2)
  await checkPageState(page, 'waiting for the wallet')
  await dialog.getByRole('button', { name: 'Stop waiting' }).click()
  await expect(dialog.getByText('We stopped waiting for your wallet. Nothing was sent.')).toBeVisible()

  await page.clock.install()
  wallet.respondNext('personal_sign', new Promise(() => {}))
  await scriptedWalletButton.click()
  await expect(dialog.getByText('Sign the message in your wallet.')).toBeVisible()
  await expect.poll(countSignRequests).toBe(3)
  await page.clock.fastForward(121_000)
  await expect(dialog.getByText('Your wallet did not respond.')).toBeVisible()
  await takeScreenshots(page, 'wallet timed out')
  await page.clock.resume()

  wallet.respondNext('personal_sign', `0x${'11'.repeat(65)}`)
  await scriptedWalletButton.click()
  await expect(dialog.getByRole('alert')).toContainText('The signature does not match this wallet and message.')
  await takeScreenshots(page, 'a signature of another wallet')

  await dialog.getByLabel('Remember me for 30 days').check()
  const challengeRequest = page.waitForRequest('**/api/auth/wallet/challenge')
  await scriptedWalletButton.click()
  expect(
    (await challengeRequest).postDataJSON(),
    'the challenge names the chain, because contract wallets sign for one chain only',
  ).toEqual({
    walletAddress: wallet.address,
    chainId: 31_337,
  })
  await expect(page).toHaveURL(`${product.url}/dashboard`)
  const [session] = (await page.context().cookies()).filter(({ name }) => name === 'tocsin')
  expect(session?.expires, 'the cookie is persistent').toBeGreaterThan(0)

  await visit(page, product.url, '/settings')
  await expect(page.getByText('This is your only sign-in method. Add another one before you unlink it.')).toBeVisible()
  await expect(page.getByText('None yet. Add one to get email')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Unlink/ })).toHaveCount(0)
  await checkPageState(page, 'settings with a wallet as the only sign-in method')
  await page.getByRole('button', { name: 'Change name' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Wally')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Welcome, Wally').first()).toBeVisible()

  // The session ends on the server but the response is lost, so the next page repeats the request.
  const hasEnded = new Promise<void>((resolve) => {
    void page.route('**/api/auth/logout', (route) => route.fetch().then(() => resolve()), { times: 1 })
  })
  await page.getByRole('button', { name: 'Log out' }).click()
  await expect(page).toHaveURL(`${product.url}/`)
  await hasEnded
  await page.goto(`${product.url}/settings`)
  await expect(page).toHaveURL(/\/auth/)
  await expect(page.getByText('You were signed out'), 'no message after a logout by the user').toHaveCount(0)
  await page.goto(`${product.url}/auth?tab=sign-up&next=%2Fhistory`)
  await page.getByRole('button', { name: 'Sign in with a wallet' }).click()
  await scriptedWalletButton
    .or(dialog.getByRole('button', { name: /Continue with/ }))
    .first()
    .click()
  await expect(page).toHaveURL(`${product.url}/history`)
  await expect(page.getByText('Welcome, Wally').first()).toBeVisible()
})

test('wallet sign-in: shows an error when the wallet switches accounts while signing', async ({ page }) => {
  const wallet = await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 5 })
  await page.goto(`${product.url}/auth`)
  await page.getByRole('button', { name: 'Sign in with a wallet' }).click()
  let resolveSignature: (signature: string) => void = () => {}
  wallet.respondNext(
    'personal_sign',
    new Promise((resolve) => {
      resolveSignature = resolve
    }),
  )
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Scripted Wallet' }).click()
  await expect(dialog.getByText('Sign the message in your wallet.')).toBeVisible()
  // The dialog shows its text before it sends the request to the wallet, so wait for the request.
  await expect.poll(() => wallet.requestedMethods).toContain('personal_sign')
  await wallet.switchAccount(6)
  resolveSignature(`0x${'11'.repeat(65)}`)
  await expect(dialog.getByRole('alert')).toContainText('Try again with the account that you want.')
  await expect(page).toHaveURL(/\/auth/)
})

test('demo wallet: asks for confirmation in its own dialog, and signs in after a rejected attempt', async ({
  page,
}) => {
  await page.goto(`${product.url}/auth`)
  await page.getByRole('button', { name: 'Sign in with a wallet' }).click()
  // This browser has only one wallet, so the page sends the request without showing a list of
  // wallets.
  await expect(page.getByRole('dialog', { name: 'Connect to this site' })).toBeVisible()
  await page.getByRole('button', { name: 'Reject' }).click()
  await expect(page.getByText('You cancelled in your wallet. Nothing was sent.')).toBeVisible()
  await page.getByRole('button', { name: 'Demo Wallet' }).click()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(page.getByRole('dialog', { name: 'Sign this message' })).toBeVisible()
  await page.getByRole('button', { name: 'Sign', exact: true }).click()
  await expect(page).toHaveURL(`${product.url}/dashboard`)
})

test('newcomer: reaches live alerts from the landing page in at most six clicks when signing in with a wallet', async ({
  page,
}) => {
  const getPressCount = await countPresses(page)
  await page.goto(product.url)
  await page.getByRole('link', { name: 'Get 6 hours for 10 ITO' }).click()
  await expect(page.getByRole('tab', { name: 'Sign up' })).toHaveAttribute('aria-selected', 'true')
  await page.getByRole('button', { name: 'Sign in with a wallet' }).click()
  await acceptInDemoWallet(page, 'Connect', 2)
  await acceptInDemoWallet(page, 'Sign')
  // The sign-in has already proved the wallet, so the payment needs no further signature.
  await page.getByRole('button', { name: 'Pay 10 ITO', exact: true }).click()
  await acceptInDemoWallet(page, 'Confirm')
  await expect(page.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  await closeByEscape(page.getByRole('dialog'))
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await expect(page.locator('[data-alert-row]').first()).toBeVisible()
  test.info().annotations.push({ type: 'presses', description: String(getPressCount()) })
  expect(getPressCount()).toBeLessThanOrEqual(6)
})

test('newcomer: reaches live alerts from the landing page in at most eleven clicks when signing up by email', async ({
  page,
}) => {
  const getPressCount = await countPresses(page)
  await page.goto(product.url)
  await page.getByRole('link', { name: 'Get 6 hours for 10 ITO' }).click()
  await page.getByLabel('Name').click()
  // Only the first field needs a press: users reach the others with the Tab key.
  for (const [label, text] of [
    ['Name', 'Nia Newcomer'],
    ['Email', 'newcomer@northquay.example'],
    ['Password', password],
    ['Confirm password', password],
  ] as const) {
    await page.getByLabel(label, { exact: true }).fill(text)
  }
  // The test delays the response until the email has arrived and the user has left the page.
  let release: () => void = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/api/auth/register', async (route) => {
    const response = await route.fetch()
    await released
    await route.fulfill({ response })
  })
  await page.getByRole('button', { name: 'Create account' }).click()
  await waitForMail(product, 'newcomer@northquay.example', /./)
  await page.getByRole('link', { name: 'Email goes to the demo’s outbox' }).click()
  const link = page.getByRole('link', { name: 'Open /verify-email' }).first()
  await expect(link).toBeVisible()
  const answered = page.waitForResponse('**/api/auth/register')
  release()
  await (await answered).finished()
  // Wait for two frames, in which the page handles the response.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  await expect(page).toHaveURL(`${product.url}/dev/outbox`)
  await link.click()
  await page.getByRole('link', { name: 'Continue' }).click()
  await expect(page.getByRole('heading', { name: 'Confirm purchase' })).toBeVisible()
  await page.getByRole('dialog').getByRole('button', { name: 'Connect Wallet' }).click()
  await acceptInDemoWallet(page, 'Connect', 3)
  await page.getByRole('button', { name: 'Verify wallet and pay 10 ITO' }).click()
  await acceptInDemoWallet(page, 'Sign')
  await acceptInDemoWallet(page, 'Confirm')
  await expect(page.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  await closeByEscape(page.getByRole('dialog'))
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  test.info().annotations.push({ type: 'presses', description: String(getPressCount()) })
  expect(getPressCount()).toBeLessThanOrEqual(11)
})

/** Counts the pointer presses in all documents that the page opens, including the wallet's. */
async function countPresses(page: Page): Promise<() => number> {
  let count = 0
  await page.exposeFunction('countPress', () => {
    count += 1
  })
  await page.addInitScript(() => {
    const { countPress } = window as unknown as { countPress: () => void }
    addEventListener('pointerdown', () => countPress(), { capture: true })
  })
  return () => count
}

/** Confirms a request of the Demo Wallet. The account is selected with the keyboard. */
async function acceptInDemoWallet(page: Page, button: 'Connect' | 'Sign' | 'Confirm', account?: number): Promise<void> {
  const dialog = page.getByRole('dialog').filter({ hasText: 'Play money' })
  if (account !== undefined) await dialog.getByLabel(`Account ${account}`).press('Space')
  await dialog.getByRole('button', { name: button, exact: true }).click()
}

test('account: sessions can be ended, email and password changed, data exported and the account deleted', async ({
  browser,
}) => {
  const account = await signUp('Lee Ving', 'leaving@northquay.example')
  const newEmail = 'left@northquay.example'
  const otherDevicePage = await openSignedInPage(browser, account)
  await postJson('/api/auth/login', account)
  const page = await openSignedInPage(browser, account, '/settings')
  const dialog = page.getByRole('dialog')

  await test.step('sessions are ended one by one and all together, and show a message', async () => {
    const endButtons = page.getByRole('button', { name: /^End the session of/ })
    // The sign-up link, the other device and the second login have each created a session.
    await expect(endButtons).toHaveCount(3)
    await expect(page.getByText('This device', { exact: true })).toBeVisible()
    await checkPageState(page, 'settings')
    await endButtons.first().click()
    await expect(endButtons).toHaveCount(2)
    await page.getByRole('button', { name: 'End all others' }).click()
    await expect(endButtons).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'End all others' })).toHaveCount(0)
    // On the other device, the next request detects the ended session. A poll may have done so
    // already, and the page has then redirected to the login. So click only links that are still in
    // the page: a click on a removed link would load a new page.
    for (const name of ['Verification', 'History']) {
      await otherDevicePage.getByRole('link', { name }).evaluateAll((links) => {
        for (const link of links) if (link instanceof HTMLElement && link.isConnected) link.click()
      })
    }
    await expect(otherDevicePage.getByText('You were signed out')).toBeVisible()
    await checkPageState(otherDevicePage, 'session ended elsewhere')
  })

  await test.step('a new email applies once its link is opened, and the old address is notified', async () => {
    await page.getByRole('button', { name: 'Change email' }).click()
    await page.getByRole('button', { name: 'Send link' }).click()
    await expect(page.getByText('Please enter your email address')).toBeVisible()
    await checkPageState(page, 'change email')
    await page.getByLabel('New email').fill(newEmail)

    await requireConfirmation(page, '**/api/account/email')
    await page.getByRole('button', { name: 'Send link' }).click()
    const confirm = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await expect(confirm).toBeVisible()
    await checkPageState(page, 'confirm that it is you')
    await confirm.getByRole('button', { name: 'Confirm', exact: true }).click()
    await expect(confirm.getByText('Please enter your password')).toBeVisible()
    await confirm.getByLabel('Password', { exact: true }).fill('not the password')
    await confirm.getByRole('button', { name: 'Confirm', exact: true }).click()
    await expect(confirm.getByRole('alert')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByText('Your identity was not confirmed. Nothing was changed.')).toBeVisible()

    await requireConfirmation(page, '**/api/account/email')
    await page.getByRole('button', { name: 'Send link' }).click()
    await confirm.getByLabel('Password', { exact: true }).fill(account.password)
    await page.keyboard.press('Enter')
    await expect(page.getByText(`We sent a link to ${newEmail}.`)).toBeVisible()
    await checkPageState(page, 'new email pending')

    const link = findLink('/verify-email', await waitForMail(product, newEmail, /./))
    const otherBrowserPage = await openNewPage(browser)
    await otherBrowserPage.goto(link)
    await expect(otherBrowserPage.getByText('Sign in to the account that asked for this address')).toBeVisible()
    await otherBrowserPage.context().close()
    const tab = await page.context().newPage()
    await tab.goto(link)
    await expect(tab.getByRole('heading', { name: 'Email Verified' })).toBeVisible()
    await expect(page.getByText('Pending verification'), 'the other tab is updated').toBeHidden()
    await expect(page.getByText(newEmail).first()).toBeVisible()
    await waitForMail(product, account.email, /^Your email address was changed$/)
    await tab.goto(link)
    await expect(tab.getByRole('heading', { name: 'Verification Failed' })).toBeVisible()
    await tab.close()
  })

  await test.step('a password is changed, and its rules are shown while typing', async () => {
    await page.getByRole('button', { name: 'Change password' }).click()
    const saveButton = dialog.getByRole('button', { name: 'Change password' })
    await dialog.getByLabel('New password', { exact: true }).fill('a bell')
    await expect(dialog.getByText('At least 8 characters (not met yet)')).toBeVisible()
    await dialog.getByLabel('New password', { exact: true }).fill('a bell under water')
    await dialog.getByLabel('Confirm new password').fill('a bell under water')
    await expect(dialog.getByText('At least 8 characters (met)')).toBeVisible()
    await expect(dialog.getByText('Passwords match (met)')).toBeVisible()
    await dialog.getByLabel('Current password').fill('not the password')
    await saveButton.click()
    await expect(dialog.getByRole('alert')).toBeVisible()
    await checkPageState(page, 'change password')
    await dialog.getByLabel('Current password').fill(account.password)
    await saveButton.click()
    await expect(dialog).toBeHidden()
    await waitForMail(product, newEmail, /^Your password was changed$/)
  })

  await test.step('account data is downloaded and the account is deleted', async () => {
    const downloadEvent = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download my data' }).click()
    expect((await downloadEvent).suggestedFilename()).toMatch(/^tocsin-account-\d{4}-\d\d-\d\d\.json$/)

    await page.getByRole('button', { name: 'Delete my account' }).click()
    const deleteButton = dialog.getByRole('button', { name: 'Delete my account' })
    await deleteButton.click()
    await expect(dialog.getByText('Please type: delete my account')).toBeVisible()
    await checkPageState(page, 'delete my account')
    await dialog.getByRole('textbox').fill('delete my account')
    await deleteButton.click()
    await expectToastIn(page, 'Account Deleted', /./)
    await expect(page).toHaveURL(`${product.url}/`)
    await expect.poll(() => readStoredHints(page)).toEqual({ userAuth: null, userData: null, adminAuth: null })
    const { status } = await postJson('/api/auth/login', { email: newEmail, password: 'a bell under water' })
    expect(status).toBe(401)
  })
})

test('identity provider: signs in, can be cancelled, linked and unlinked, and confirms the user’s identity', async ({
  browser,
}) => {
  const greta = { sub: 'greta', email: 'greta@northquay.example', email_verified: true, name: 'Greta <b>Quay</b>' }
  const page = await openNewPage(browser)
  const signInWithGoogle = async (path: string, targetPage = page) => {
    await targetPage.goto(product.url + path)
    await targetPage.getByRole('link', { name: 'Google' }).click()
  }

  await test.step('sign-in fails when it is cancelled, the email belongs to another account or is unverified', async () => {
    google.person = null
    await signInWithGoogle('/auth')
    await expect(page.getByText('You cancelled at the provider. Nothing was changed.')).toBeVisible()
    google.person = { ...greta, email: product.trader.email }
    await signInWithGoogle('/auth')
    await expect(page.getByText('Log in to that account first')).toBeVisible()
    google.person = { ...greta, email_verified: false }
    await signInWithGoogle('/auth')
    await expect(page.getByText('has not verified your email address')).toBeVisible()
  })

  await test.step('an unknown identity creates an account, whose name with markup is shown as text', async () => {
    google.person = greta
    await signInWithGoogle('/auth?next=%2Fsettings')
    await expect(page).toHaveURL(`${product.url}/settings`)
    await expect(page.getByText(greta.name).first()).toBeVisible()
    await expect(page.getByText(greta.email).first()).toBeVisible()
    await expect(
      page.getByText('This is your only sign-in method. Add another one before you unlink it.'),
    ).toBeVisible()
    await checkPageState(page, 'settings of a provider account')
  })

  await test.step('reauthentication succeeds only with the linked identity', async () => {
    const downloadButton = page.getByRole('button', { name: 'Download my data' })
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
    const confirmWithGoogle = async (person: typeof greta) => {
      google.person = person
      await requireConfirmation(page, '**/api/account/export')
      await downloadButton.click()
      await clickAndReturn(dialog.getByRole('link', { name: 'Confirm with Google' }))
      await expect(page).toHaveURL(`${product.url}/settings`)
    }
    await confirmWithGoogle({ ...greta, sub: 'another' })
    await expect(page.getByText('The provider did not confirm who you are.').first()).toBeVisible()
    await confirmWithGoogle(greta)
    await expectToastIn(page, 'Confirmed', 'Now repeat your action. The confirmation is valid for ten minutes.')
    const downloadEvent = page.waitForEvent('download')
    await downloadButton.click()
    await downloadEvent
  })

  await test.step('linking fails for an identity of another account, and an unused identity is linked and then signs in to the account', async () => {
    const otherPage = await openSignedInPage(browser, product.trader, '/settings')
    await requireConfirmation(otherPage, '**/api/auth/confirm')
    await otherPage.getByRole('button', { name: 'Link Google' }).click()
    const dialog = otherPage.getByRole('dialog', { name: 'Confirm that it is you' })
    await dialog.getByLabel('Password', { exact: true }).fill(product.trader.password)
    await otherPage.unroute('**/api/auth/confirm')
    await otherPage.keyboard.press('Enter')
    await expect(otherPage.getByText('belongs to another account')).toBeVisible()
    await expect(otherPage).toHaveURL(`${product.url}/settings`)

    google.person = { ...greta, sub: 'jonas' }
    await clickAndReturn(otherPage.getByRole('button', { name: 'Link Google' }))
    await expectToastIn(otherPage, 'Sign-in Linked', 'You can now sign in with this provider.')
    await expect(otherPage.getByRole('button', { name: 'Unlink Google' })).toBeVisible()
    const thirdPage = await openNewPage(browser)
    await signInWithGoogle('/auth', thirdPage)
    await expect(thirdPage).toHaveURL(`${product.url}/dashboard`)
    await expect.poll(async () => (await readStoredHints(thirdPage)).userData).toContain(product.trader.email)

    await otherPage.getByRole('button', { name: 'Unlink Google' }).click()
    await expect(otherPage.getByRole('button', { name: 'Link Google' })).toBeVisible()
  })
})

test('account name: is shown as text when it contains markup', async ({ browser }) => {
  const account = await signUp('<img src=x onerror=alert(1)>', 'markup@northquay.example')
  const page = await openSignedInPage(browser, account, '/settings')
  const violations: string[] = []
  page.on('dialog', (dialog) => void dialog.dismiss().then(() => violations.push(dialog.message())))
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) violations.push(message.text())
  })
  for (const name of [
    '"><svg/onload=alert(1)>',
    '</script><script>alert(1)</script>',
    'javascript:alert(1)//{{7*7}}#{7*7}',
    "'-alert(1)-' <a href=javascript:alert(1)>x</a>",
  ]) {
    await page.getByRole('button', { name: 'Change name' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill(name)
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText(`Welcome, ${name}`).first()).toBeVisible()
    await page.reload()
    await expect(page.getByText(name, { exact: true }).first()).toBeVisible()
  }
  const injectedSelector = 'img[src="x"], svg[onload], script:not([src]):not([type]), a[href^="javascript:"]'
  await expect(page.locator(injectedSelector)).toHaveCount(0)
  expect(violations).toEqual([])
})

test('wallet: can be linked, used to confirm the identity of the user, and unlinked', async ({ browser }) => {
  const page = await openNewPage(browser)
  const wallet = await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 7 })
  await startSession(page.context(), product.url, product.trader)
  await page.goto(`${product.url}/settings`)
  await expect(page.getByText('No wallet linked')).toBeVisible()
  await page.getByRole('button', { name: 'Link a wallet' }).click()
  const dialog = page.getByRole('dialog')
  wallet.rejectNext('personal_sign')
  await dialog.getByRole('button', { name: 'Scripted Wallet' }).click()
  await expect(dialog.getByText('You cancelled in your wallet. Nothing was sent.')).toBeVisible()
  await dialog.getByRole('button', { name: /Continue with/ }).click()
  await expect(page.getByText('Verified in this session').first()).toBeVisible()

  await requireConfirmation(page, `**/api/wallets/${wallet.address}`)
  await page.getByRole('button', { name: /^Unlink 0x/ }).click()
  await dialog.getByRole('button', { name: 'Confirm with a wallet' }).click()
  await wallet.switchAccount(8)
  await dialog.getByRole('button', { name: 'Scripted Wallet' }).click()
  await expect(dialog.getByRole('alert')).toContainText('is not linked to your account')
  await checkPageState(page, 'confirm with a wallet')
  await wallet.switchAccount(7)
  await dialog.getByRole('button', { name: /Continue with/ }).click()
  await expect(page.getByText('No wallet linked')).toBeVisible()
  await visit(page, product.url, '/history')
  await expect(page.getByText('Wallet Unlinked').first()).toBeVisible()
})

test('settings: show errors and can be retried when requests fail', async ({ browser }) => {
  const page = await openSignedInPage(browser, product.trader, '/contact-support')
  await page.route('**/api/{account,auth/sessions}', (route) => route.fulfill({ status: 503, body: '' }))
  await page.goto(`${product.url}/settings?provider_error=identity_taken`)
  await expect(page.getByText('The server did not respond.')).toHaveCount(3)
  await expect(page.getByText('belongs to another account')).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/settings`)
  await checkPageState(page, 'settings unavailable')
  await page.unroute('**/api/{account,auth/sessions}')
  await page.getByRole('button', { name: 'Try again' }).first().click()
  await expect(page.getByRole('button', { name: 'Change name' })).toBeVisible()
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('This device', { exact: true })).toBeVisible()

  await page.route('**/api/{account,auth/sessions}', () => {})
  await page.reload()
  await expect(page.getByRole('status', { name: 'Loading your account' })).toBeVisible()
  await checkPageState(page, 'settings loading')
})

test('framing: every page is blocked when another site embeds it', async ({ page }) => {
  const frames = ['/', '/auth', '/settings', '/admin', '/admin-auth'].map(
    (path) => `<iframe src="${product.url}${path}"></iframe>`,
  )
  await page.route('http://elsewhere.example/', (route) =>
    route.fulfill({ contentType: 'text/html', body: `<!doctype html>${frames.join('')}` }),
  )
  await page.goto('http://elsewhere.example/')
  await expect
    .poll(() =>
      page
        .frames()
        .slice(1)
        .map((frame) => frame.url()),
    )
    .toEqual(frames.map(() => 'chrome-error://chromewebdata/'))
})

test('route guard: redirects to the right sign-in page when signed out, whatever the browser has stored', async ({
  page,
}) => {
  await page.goto(`${product.url}/admin`)
  await expect(page).toHaveURL(/\/admin-auth$/)
  await page.goto(`${product.url}/settings`)
  await expect(page).toHaveURL(/\/auth\?next=%2Fsettings$/)
  // The server's response takes precedence over the hints in localStorage.
  await page.evaluate(() => {
    localStorage.setItem('userAuth', 'true')
    localStorage.setItem('userData', JSON.stringify({ email: 'mara@northquay.example', name: 'Mara' }))
  })
  for (const path of ['dashboard', 'notifications', 'history', 'verification']) {
    await page.goto(`${product.url}/${path}`)
    await expect(page).toHaveURL(`${product.url}/auth?next=%2F${path}`)
    expect(await readStoredHints(page)).toMatchObject({ userAuth: null, userData: null })
  }
})

/** Creates an account with a verified address through the API. */
async function signUp(name: string, email: string): Promise<Login> {
  const registerResponse = await postJson('/api/auth/register', { name, email, password })
  expect(registerResponse.status).toBe(200)
  const link = new URL(findLink('/verify-email', await waitForMail(product, email, /./)))
  const verifyResponse = await fetch(`${product.url}/api/auth/verify-email${link.search}`)
  expect(await verifyResponse.json()).toMatchObject({ success: true })
  return { email, password }
}

function postJson(path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', origin: product.url }
  return fetch(product.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** Opens a page in a new context, which represents another device. */
async function openNewPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext()
  await recordToasts(context)
  return context.newPage()
}

/** Clicks a control that opens a provider, and waits for the page to which the provider returns. */
async function clickAndReturn(control: Locator): Promise<void> {
  const page = control.page()
  await page.waitForLoadState()
  const loaded = page.waitForEvent('load')
  await control.click()
  await loaded
}

/** Signs in through the API, so that the first page that is loaded is the one under test. */
async function openSignedInPage(browser: Browser, account: Login, path = '/dashboard'): Promise<Page> {
  const page = await openNewPage(browser)
  const headers = { origin: product.url }
  const response = await page.request.post(`${product.url}/api/auth/login`, { headers, data: account })
  expect(response.status()).toBe(200)
  await page.goto(product.url + path)
  // Until the page has fetched the session, it renders as signed out and its links reload the page.
  await page.waitForFunction(() => localStorage.getItem('userAuth') === 'true')
  return page
}

/**
 * Responds to the next request as the server does ten minutes after the last authentication. Later
 * requests reach the server. Server tests cover the expiry itself.
 */
async function requireConfirmation(page: Page, url: string): Promise<void> {
  const refusal = {
    success: false,
    code: 'reauthentication_required',
    message: 'Confirm your identity first',
    requestId: 'r',
  }
  await page.route(url, (route) => route.fulfill({ status: 403, json: refusal }), { times: 1 })
}

function readStoredHints(page: Page) {
  return page.evaluate(() => ({
    userAuth: localStorage.getItem('userAuth'),
    userData: localStorage.getItem('userData'),
    adminAuth: localStorage.getItem('adminAuth'),
  }))
}
