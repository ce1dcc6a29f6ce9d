import { type Browser, expect, type Locator, type Page } from '@playwright/test'
import { startIdentityProvider, type TestIdentityProvider } from '@tocsin/testkit'
import { displayModes, expectAccessible, takeScreenshots } from './accessible.ts'
import { test } from './browser-test.ts'
import { closeByEscape } from './close-dialog.ts'
import { logIn } from './log-in.ts'
import { linkTo, waitForMail } from './outbox.ts'
import { type Product, startProduct } from './product.ts'
import { installWallet } from './scripted-wallet.ts'

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

let turn = 0
/**
 * Each state in one of the looks, by turns: how the pages bear every width and both themes is seen
 * of the screens as a whole.
 */
async function inspect(page: Page, state: string): Promise<void> {
  turn += 1
  await takeScreenshots(page, state)
  await expectAccessible(page, state, [turn % 2 === 0 ? displayModes.desktop : displayModes.phone])
}

const password = 'a bell at the harbour'

const CHECK_RESET = '**/api/auth/reset-password/check'
/** The answer to the check of a good reset link. */
const goodLink = {
  success: true,
  expired: false,
  message: 'Choose a new password.',
  minLength: 6,
  waysIn: { identities: [], wallets: [] },
}

test('with the keyboard alone: sign up, open the mailed link, log in, change the settings', async ({ page }) => {
  const email = 'keys@northquay.example'
  await page.goto(`${product.url}/auth`)
  await tabTo(page, page.getByRole('tab', { name: 'Log in' }))
  await page.keyboard.press('ArrowRight')
  await expect(page).toHaveURL(/tab=sign-up/)
  for (const [label, value] of [
    ['Name', 'Kay Bord'],
    ['Email', email],
    ['Password', password],
    ['Confirm password', password],
  ] as const) {
    await tabTo(page, page.getByLabel(label, { exact: true }))
    await page.keyboard.type(value)
  }
  await page.keyboard.press('Enter')
  await expect(page.getByText('Email Verification Required')).toBeVisible()
  await expect(page.getByText(`We sent a link to ${email}.`)).toBeVisible()
  await inspect(page, 'waiting for verification')
  await tabTo(page, page.getByRole('button', { name: 'Resend' }))
  await page.keyboard.press('Enter')
  await expect(page.getByText('Verification Email Sent').first()).toBeVisible()
  await tabTo(page, page.getByRole('button', { name: 'Dismiss' }))
  await page.keyboard.press('Enter')
  await expect(page.getByText('Email Verification Required')).toBeHidden()

  // The second link, which has made the first one void.
  const link = linkTo('/verify-email', await waitForMail(product, email, /./, 2))
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Email Verified' })).toBeVisible()
  expect(page.url(), 'the token stays out of the history').toBe(`${product.url}/verify-email`)
  await inspect(page, 'verified')
  await tabTo(page, page.getByRole('link', { name: 'Log in' }))
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByLabel('Email', { exact: true }))
  await page.keyboard.type(email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`${product.url}/dashboard`)
  expect(await storedHints(page)).toEqual({
    userAuth: 'true',
    userData: JSON.stringify({ email, name: 'Kay Bord' }),
    adminAuth: null,
  })

  await tabTo(page, page.getByRole('link', { name: 'Settings' }).first())
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`${product.url}/settings`)
  const change = page.getByRole('button', { name: 'Change name' })
  await tabTo(page, change)
  await page.keyboard.press('Enter')
  await closeByEscape(page.getByRole('dialog'))
  await expect(change, 'focus is back').toBeFocused()
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByRole('dialog').getByLabel('Name'))
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('Kay Board')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Welcome, Kay Board').first()).toBeVisible()

  await page.goto(link)
  await expect(page.getByText('This verification link is invalid or was already used.')).toBeVisible()
})

test('every state of /auth says what it is about', async ({ page }) => {
  const submit = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const fill = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value)
  const signUp = async (secret: string, again: string) => {
    await fill('Name', 'Mara')
    await fill('Email', 'mara@northquay.example')
    await fill('Password', secret)
    await fill('Confirm password', again)
    await submit('Create account')
  }
  const states: [path: string, act: () => Promise<void>, said: string][] = [
    ['/auth', () => submit('Log in'), 'Please fill in all fields'],
    [
      '/auth',
      () => logIn(page, { email: 'nobody@northquay.example', password }),
      'Invalid email or password. Please try again.',
    ],
    ['/auth', () => submit('LinkedIn'), 'LinkedIn is not configured'],
    ['/auth?tab=sign-up', () => submit('Create account'), 'Please fill in all fields'],
    ['/auth?tab=sign-up', () => signUp(password, 'another'), 'Passwords do not match'],
    ['/auth?tab=sign-up', () => signUp('1234567', '1234567'), 'Password must be at least 8 characters long'],
    ['/auth?tab=sign-up', () => signUp('password123', 'password123'), 'Registration Failed'],
    ['/auth?mode=forgot-password', () => submit('Send reset link'), 'Please enter your email address'],
    ['/auth?provider_error=not_configured', async () => {}, 'This provider is not configured here.'],
    ['/auth?provider_error=expired', async () => {}, 'The provider’s answer came too late'],
    ['/auth?provider_error=%3Cb%3Eboom', async () => {}, 'The provider did not confirm who you are.'],
  ]
  const kindOf = (path: string | undefined) => path?.split('=')[0]
  for (const [index, [path, act, said]] of states.entries()) {
    if (path !== states[index - 1]?.[0]) await page.goto(product.url + path)
    await expect(page.getByRole('link', { name: 'Google' }).or(page.getByLabel('Email')).first()).toBeVisible()
    await act()
    await expect(page.getByText(said).first(), path).toBeVisible()
    expect(page.url()).not.toContain('provider_error')
    // Of what looks alike one is enough.
    if (kindOf(path) !== kindOf(states[index + 1]?.[0])) await inspect(page, `${path}: ${said}`)
    else await takeScreenshots(page, `${path}: ${said}`)
  }

  await page.goto(`${product.url}/auth`)
  await page.route('**/api/auth/login', (route) => route.abort())
  await logIn(page, product.trader)
  await expect(page.getByText('An error occurred during login. Please try again.').first()).toBeVisible()
  await takeScreenshots(page, 'no answer to the login')

  await page.route('**/api/config', (route) => route.fulfill({ status: 503, body: '' }))
  await page.goto(`${product.url}/auth`)
  await expect(page.getByRole('button', { name: 'Log in', exact: true }), 'without the list of ways').toBeVisible()
  await expect(page.getByRole('link', { name: 'Google' })).toHaveCount(0)
  await takeScreenshots(page, 'without the list of ways')
})

test('every form that sends mail shows that the mail quota is used up', async ({ browser }) => {
  const message = 'Too many emails were requested. Nothing was sent. Try again in 42 minutes.'
  const refusal = { success: false, code: 'too_many_requests', message, requestId: 'r' }
  const page = await newPage(browser)
  await page.route(/auth\/(register|forgot-password|resend-verification)$/, (route) =>
    route.fulfill({ status: 429, json: refusal }),
  )
  await page.goto(`${product.url}/auth?tab=sign-up`)
  for (const [label, value] of [
    ['Name', 'Mara'],
    ['Email', 'quota@northquay.example'],
    ['Password', password],
    ['Confirm password', password],
  ] as const) {
    await page.getByLabel(label, { exact: true }).fill(value)
  }
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.locator('form').getByText(message)).toBeVisible()
  await page.goto(`${product.url}/auth?mode=forgot-password`)
  await page.getByLabel('Email').fill('quota@northquay.example')
  await page.getByRole('button', { name: 'Send reset link' }).click()
  await expect(page.locator('form').getByText(message)).toBeVisible()

  await page.goto(`${product.url}/auth`)
  const unverified = { success: false, requiresVerification: true, message: 'Please verify your email address first.' }
  await page.route('**/api/auth/login', (route) => route.fulfill({ json: unverified }), { times: 1 })
  await logIn(page, { email: 'quota@northquay.example', password })
  await page.getByRole('button', { name: 'Resend' }).click()
  await expect(page.getByText(message).first()).toBeVisible()

  const own = await openSignedIn(browser, product.trader, '/settings')
  await own.route('**/api/account/email', (route) => route.fulfill({ status: 429, json: refusal }))
  await own.getByRole('button', { name: 'Change email' }).click()
  const dialog = own.getByRole('dialog')
  await dialog.getByLabel('New email').fill('quota@northquay.example')
  await dialog.getByRole('button', { name: 'Send link' }).click()
  await expect(dialog.getByText(message)).toBeVisible()
})

test('a plan chosen before the sign-in is kept by a provider and by a confirmation mail', async ({ browser }) => {
  const choose = async (): Promise<Page> => {
    const page = await newPage(browser)
    await page.goto(`${product.url}/dashboard?plan=24h`)
    await expect(page).toHaveURL(/\/auth\?next=/)
    return page
  }
  const expectPlan = async (page: Page) => {
    await expect(page).toHaveURL(`${product.url}/dashboard`)
    await expect(page.getByRole('dialog').getByText('24 hours').first()).toBeVisible()
  }
  await test.step('by a provider', async () => {
    google.person = { sub: 'plan', email: 'plan@northquay.example', email_verified: true, name: 'Pia Lan' }
    const page = await choose()
    await page.getByRole('link', { name: 'Google' }).click()
    await expectPlan(page)
  })
  await test.step('by a confirmation mail, whose link opens another page', async () => {
    const email = 'plan-by-mail@northquay.example'
    const page = await choose()
    const registered = await post('/api/auth/register', { name: 'Pia', email, password })
    expect(registered.status).toBe(200)
    await page.goto(linkTo('/verify-email', await waitForMail(product, email, /./)))
    await page.getByRole('link', { name: 'Log in' }).click()
    await logIn(page, { email, password })
    await expectPlan(page)
  })
})

test('password managers know what each field is', async ({ page }) => {
  const fieldsOf = (locator: Locator) =>
    locator
      .locator('input')
      .evaluateAll((inputs: HTMLInputElement[]) =>
        inputs.filter((input) => input.type !== 'checkbox').map(({ name, autocomplete }) => `${name}: ${autocomplete}`),
      )
  const forms: [path: string, fields: string[]][] = [
    ['/auth', ['email: username', 'password: current-password']],
    ['/auth?tab=sign-up', ['name: name', 'email: username', 'password: new-password', 'confirmPassword: new-password']],
    ['/auth?mode=forgot-password', ['email: username']],
    ['/reset-password?token=x', ['password: new-password', 'confirmPassword: new-password']],
    ['/admin-auth', ['email: username', 'password: current-password']],
  ]
  await page.route(CHECK_RESET, (route) => route.fulfill({ json: goodLink }))
  for (const [path, fields] of forms) {
    await page.goto(product.url + path)
    const form = page.locator('form')
    await expect(form).toHaveCount(1)
    expect(await fieldsOf(form), path).toEqual(fields)
  }
  await page.goto(`${product.url}/auth`)
  await logIn(page, product.trader)
  await expect(page).toHaveURL(/dashboard/)
  await page.goto(`${product.url}/settings`)
  await page.getByRole('button', { name: 'Change password' }).click()
  expect(await fieldsOf(page.getByRole('dialog'))).toEqual([
    'username: username',
    'currentPassword: current-password',
    'password: new-password',
    'confirmPassword: new-password',
  ])
})

test('every state of a mailed link', async ({ page }) => {
  const verify = '**/api/auth/verify-email?*'
  await page.goto(`${product.url}/verify-email`)
  await expect(page.getByText('No verification token found')).toBeVisible()
  await takeScreenshots(page, 'no verification token')
  await page.goto(`${product.url}/verify-email?token=made-up`)
  await expect(page.getByRole('heading', { name: 'Verification Failed' })).toBeVisible()
  await inspect(page, 'made-up verification link')

  // A day can't be waited for here: the server's own tests let it pass and see this answer.
  const expired = { success: false, expired: true, message: 'This verification link has expired.' }
  await page.route(verify, (route) => route.fulfill({ json: expired }))
  await page.goto(`${product.url}/verify-email?token=old`)
  await expect(page.getByRole('heading', { name: 'Link Expired' })).toBeVisible()
  await inspect(page, 'expired verification link')
  await page.unroute(verify)
  await page.route(verify, (route) => route.abort())
  await page.goto(`${product.url}/verify-email?token=offline`)
  await expect(page.getByText('Failed to verify email')).toBeVisible()
  await takeScreenshots(page, 'verification without an answer')
  await page.unroute(verify)
  await page.route(verify, () => {})
  await page.goto(`${product.url}/verify-email?token=slow`)
  await expect(page.getByText('Verifying your email...')).toBeVisible()
  await takeScreenshots(page, 'verifying')

  await page.goto(`${product.url}/reset-password`)
  await expect(page.getByRole('heading', { name: 'Invalid Reset Link' })).toBeVisible()
  await takeScreenshots(page, 'no reset token')
  await page.goto(`${product.url}/reset-password?token=made-up`)
  await expect(page.getByRole('heading', { name: 'Invalid Reset Link' })).toBeVisible()
  await takeScreenshots(page, 'a made-up reset link')
  const overdue = { ...goodLink, success: false, expired: true, message: 'This reset link has expired.' }
  await page.route(CHECK_RESET, (route) => route.fulfill({ json: overdue }))
  await page.goto(`${product.url}/reset-password?token=old`)
  await expect(page.getByRole('heading', { name: 'Link Expired' })).toBeVisible()
  await takeScreenshots(page, 'a reset link that is found expired')
  await page.unroute(CHECK_RESET)

  let answerCheck: () => void = () => {}
  const checked = new Promise<void>((resolve) => {
    answerCheck = resolve
  })
  await page.route(CHECK_RESET, async (route) => {
    await checked
    await route.fulfill({ json: goodLink })
  })
  await page.goto(`${product.url}/reset-password?token=made-up`)
  await expect(page.getByText('Checking your link…')).toBeVisible()
  await takeScreenshots(page, 'checking a reset link')
  answerCheck()
  const save = page.getByRole('button', { name: 'Reset password' })
  await save.click()
  await expect(page.getByText('Please fill in all fields').first()).toBeVisible()
  for (const [first, second, said] of [
    ['abcdef', 'fedcba', 'Passwords do not match'],
    ['abcde', 'abcde', 'Password must be at least 6 characters long'],
  ] as const) {
    await page.getByLabel('New password').fill(first)
    await page.getByLabel('Confirm password').fill(second)
    await save.click()
    await expect(page.getByText(said).first()).toBeVisible()
    await takeScreenshots(page, `reset: ${said}`)
  }
  await inspect(page, 'reset form')
  const reset = '**/api/auth/reset-password'
  const message = 'This link has expired.'
  const over = { success: false, expired: true, code: 'token_expired', message, requestId: 'r' }
  await page.route(reset, (route) => route.fulfill({ status: 400, json: over }))
  await page.getByLabel('New password').fill(password)
  await page.getByLabel('Confirm password').fill(password)
  await save.click()
  await expect(page.getByRole('heading', { name: 'Link Expired' })).toBeVisible()
  await inspect(page, 'expired reset link')

  let release: () => void = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/assets/reset-password-page*', async (route) => {
    await held
    await route.continue()
  })
  await page.goto(`${product.url}/reset-password?token=made-up`, { waitUntil: 'commit' })
  await expect(page.getByText('Opening your link…')).toBeVisible()
  await takeScreenshots(page, 'opening a reset link')
  release()
  await expect(page.getByRole('heading', { name: 'Choose a new password' })).toBeVisible()
})

test('a forgotten password is reset once, and every session ends with a sentence', async ({ browser }) => {
  const email = 'forgetful@northquay.example'
  const old = await openSignedIn(browser, await signUp('Fay Getful', email))
  const page = await newPage(browser)
  await page.goto(`${product.url}/auth?mode=forgot-password`)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Send reset link' }).click()
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible()
  await inspect(page, 'reset link sent')
  const link = linkTo('/reset-password', await waitForMail(product, email, /reset/i))

  const choose = async (secret: string) => {
    await page.goto(link)
    await page.getByLabel('New password').fill(secret)
    await page.getByLabel('Confirm password').fill(secret)
    await page.getByRole('button', { name: 'Reset password' }).click()
  }
  await choose('a bell on the hill')
  await expect(page.getByRole('heading', { name: 'Password Reset' })).toBeVisible()
  await inspect(page, 'password reset')
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Invalid Reset Link' })).toBeVisible()
  await takeScreenshots(page, 'a used reset link')

  await old.getByRole('link', { name: 'History' }).click()
  await expect(old.getByText('You were signed out')).toBeVisible()
  await expect(old).toHaveURL(/\/auth\?next=%2Fhistory/)
  await logIn(old, { email, password: 'a bell on the hill' })
  await expect(old).toHaveURL(`${product.url}/history`)
})

test('the admin’s door: every answer, and a setup link that is over', async ({ page }) => {
  await page.goto(`${product.url}/admin-auth`)
  await page.getByRole('button', { name: 'Log in as admin' }).click()
  await expect(page.getByText('Please fill in all fields').first()).toBeVisible()
  await logIn(page, { email: product.admin.email, password: 'not the password' })
  await expect(page.getByText('Invalid credentials').first()).toBeVisible()
  await inspect(page, 'access denied')
  await page.route('**/api/auth/login', (route) => route.abort())
  await logIn(page, product.admin)
  await expect(page.getByText('Login Error').first()).toBeVisible()
  await takeScreenshots(page, 'admin login error')
  await expect(page.getByText('Network error').first()).toBeVisible()
  await page.unroute('**/api/auth/login')
  await page.route('**/api/auth/user', (route) => route.fulfill({ status: 503, body: '' }))
  await logIn(page, product.admin)
  await expect(page.getByText('Could not verify admin privileges').first()).toBeVisible()
  await takeScreenshots(page, 'admin privileges unknown')
  await page.unroute('**/api/auth/user')

  await page.context().clearCookies()
  await page.goto(`${product.url}/admin-auth`)
  await logIn(page, product.trader)
  await expect(page.getByText('Admin privileges required').first()).toBeVisible()
  await inspect(page, 'no admin')

  await page.context().clearCookies()
  await page.goto(`${product.url}/admin-auth#setup=made-up`)
  await page.reload()
  await page.goto(`${product.url}/nowhere`)
  await page.goto(`${product.url}/admin-auth#setup=made-up`)
  await expect(page.getByRole('heading', { name: 'Create the first admin' })).toBeVisible()
  expect(page.url(), 'the token stays out of the history').toBe(`${product.url}/admin-auth`)
  await inspect(page, 'first admin')
  await page.getByLabel('Name').fill('Ada')
  await page.getByLabel('Email').fill('ada@northquay.example')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill(password)
  await page.getByRole('button', { name: 'Create admin' }).click()
  await expect(page.getByRole('heading', { name: 'Invalid Setup Link' })).toBeVisible()
  await inspect(page, 'setup link is over')
  await page.getByRole('link', { name: 'Go to admin sign-in' }).click()
  await expect(page.getByRole('button', { name: 'Log in as admin' })).toBeVisible()
})

test('a wallet signs in, and whatever goes wrong with it leaves a way on', async ({ page }) => {
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(request.url()))
  const wallet = await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 4 })
  await page.goto(`${product.url}/auth`)
  await expect(page.getByRole('button', { name: 'Sign in with a wallet' })).toBeVisible()
  expect(loaded.filter((url) => /engine|wallet-(sign-in-dialog|challenge|list)/.test(url))).toEqual([])
  await page.getByRole('button', { name: 'Sign in with a wallet' }).click()
  const dialog = page.getByRole('dialog')
  const scripted = dialog.getByRole('button', { name: 'Scripted Wallet' })
  await expect(scripted).toBeVisible()
  await inspect(page, 'wallets to sign in with')

  for (const method of ['wallet_requestPermissions', 'personal_sign']) {
    wallet.rejectNext(method)
    await scripted.click()
    await expect(dialog.getByText('You cancelled in your wallet. Nothing was sent.'), method).toBeVisible()
    await expect(dialog.getByRole('alert')).toHaveCount(0)
  }
  await inspect(page, 'rejected in the wallet')

  wallet.respondNext('personal_sign', new Promise(() => {}))
  await scripted.click()
  await expect(dialog.getByText('Sign the message in your wallet.')).toBeVisible()
  await inspect(page, 'waiting for the wallet')
  await dialog.getByRole('button', { name: 'Stop waiting' }).click()
  await expect(dialog.getByText('We stopped waiting for your wallet. Nothing was sent.')).toBeVisible()

  await page.clock.install()
  wallet.respondNext('personal_sign', new Promise(() => {}))
  await scripted.click()
  await expect(dialog.getByText('Sign the message in your wallet.')).toBeVisible()
  await page.clock.fastForward(121_000)
  await expect(dialog.getByText('Your wallet did not answer.')).toBeVisible()
  await takeScreenshots(page, 'wallet did not answer')
  await page.clock.resume()

  wallet.respondNext('personal_sign', `0x${'11'.repeat(65)}`)
  await scripted.click()
  await expect(dialog.getByRole('alert')).toContainText('The signature is not one of this wallet for this message.')
  await takeScreenshots(page, 'a signature of another wallet')

  await dialog.getByLabel('Remember me for 30 days').check()
  const asked = page.waitForRequest('**/api/auth/wallet/challenge')
  await scripted.click()
  expect((await asked).postDataJSON(), 'a contract wallet speaks on its own chain only').toEqual({
    walletAddress: wallet.address,
    chainId: 31_337,
  })
  await expect(page).toHaveURL(`${product.url}/dashboard`)
  const [session] = (await page.context().cookies()).filter(({ name }) => name === 'tocsin')
  expect(session?.expires, 'remembered').toBeGreaterThan(0)

  await page.goto(`${product.url}/settings`)
  await expect(page.getByText('Your only way to sign in: add another before you unlink it.')).toBeVisible()
  await expect(page.getByText('None yet. Add one to get email')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Unlink/ })).toHaveCount(0)
  await inspect(page, 'settings of a wallet alone')
  await page.getByRole('button', { name: 'Change name' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Wally')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Welcome, Wally').first()).toBeVisible()

  // The session ends and the answer is lost on its way, so the next page repeats the call.
  const hasEnded = new Promise<void>((resolve) => {
    void page.route('**/api/auth/logout', (route) => route.fetch().then(() => resolve()), { times: 1 })
  })
  await page.getByRole('button', { name: 'Log out' }).click()
  await expect(page).toHaveURL(`${product.url}/`)
  await hasEnded
  await page.goto(`${product.url}/settings`)
  await expect(page).toHaveURL(/\/auth/)
  await expect(page.getByText('You were signed out'), 'who logs out needs no telling').toHaveCount(0)
  await page.goto(`${product.url}/auth?tab=sign-up&next=%2Fhistory`)
  await page.getByRole('button', { name: 'Sign in with a wallet' }).click()
  await scripted
    .or(dialog.getByRole('button', { name: /Continue with/ }))
    .first()
    .click()
  await expect(page).toHaveURL(`${product.url}/history`)
  await expect(page.getByText('Welcome, Wally').first()).toBeVisible()
})

test('a wallet that shows another account while it signs is noticed', async ({ page }) => {
  const wallet = await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 5 })
  await page.goto(`${product.url}/auth`)
  await page.getByRole('button', { name: 'Sign in with a wallet' }).click()
  let sign: (signature: string) => void = () => {}
  wallet.respondNext(
    'personal_sign',
    new Promise((resolve) => {
      sign = resolve
    }),
  )
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Scripted Wallet' }).click()
  await expect(dialog.getByText('Sign the message in your wallet.')).toBeVisible()
  await wallet.switchAccount(6)
  sign(`0x${'11'.repeat(65)}`)
  await expect(dialog.getByRole('alert')).toContainText('Try again with the account that you want.')
  await expect(page).toHaveURL(/\/auth/)
})

test('the demo’s own wallet signs in, asking in its own window', async ({ page }) => {
  await page.goto(`${product.url}/auth`)
  await page.getByRole('button', { name: 'Sign in with a wallet' }).click()
  await page.getByRole('button', { name: 'Demo Wallet' }).click()
  await expect(page.getByRole('dialog', { name: 'Connect to this site' })).toBeVisible()
  await page.getByRole('button', { name: 'Reject' }).click()
  await expect(page.getByText('You cancelled in your wallet. Nothing was sent.')).toBeVisible()
  await page.getByRole('button', { name: 'Demo Wallet' }).click()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(page.getByRole('dialog', { name: 'Sign this message' })).toBeVisible()
  await page.getByRole('button', { name: 'Sign', exact: true }).click()
  await expect(page).toHaveURL(`${product.url}/dashboard`)
})

test('an account is ended elsewhere, gets another email and password, is taken along, and deleted', async ({
  browser,
}) => {
  const person = await signUp('Lee Ving', 'leaving@northquay.example')
  const newEmail = 'left@northquay.example'
  const there = await openSignedIn(browser, person)
  await post('/api/auth/login', person)
  const page = await openSignedIn(browser, person, '/settings')
  const dialog = page.getByRole('dialog')

  await test.step('sessions are ended one by one and all at once, and end with a sentence', async () => {
    const ends = page.getByRole('button', { name: /^End the session of/ })
    await expect(ends).toHaveCount(2)
    await expect(page.getByText('This device', { exact: true })).toBeVisible()
    await inspect(page, 'settings')
    await ends.first().click()
    await expect(ends).toHaveCount(1)
    await page.getByRole('button', { name: 'End all others' }).click()
    await expect(ends).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'End all others' })).toHaveCount(0)
    // The next things that the page asks for tell it, if it has not asked by itself and left for
    // the log-in already.
    for (const name of ['Verification', 'History']) {
      await there.getByRole('link', { name }).evaluateAll((links) => {
        for (const link of links) if (link instanceof HTMLElement) link.click()
      })
    }
    await expect(there.getByText('You were signed out')).toBeVisible()
    await inspect(there, 'session ended elsewhere')
  })

  await test.step('a new email counts when its mailed link is opened, and the old address is told', async () => {
    await page.getByRole('button', { name: 'Change email' }).click()
    await page.getByRole('button', { name: 'Send link' }).click()
    await expect(page.getByText('Please enter your email address')).toBeVisible()
    await inspect(page, 'change email')
    await page.getByLabel('New email').fill(newEmail)

    await wantConfirmation(page, '**/api/account/email')
    await page.getByRole('button', { name: 'Send link' }).click()
    const confirm = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await expect(confirm).toBeVisible()
    await inspect(page, 'confirm that it is you')
    await confirm.getByRole('button', { name: 'Confirm', exact: true }).click()
    await expect(confirm.getByText('Please enter your password')).toBeVisible()
    await confirm.getByLabel('Password', { exact: true }).fill('not the password')
    await confirm.getByRole('button', { name: 'Confirm', exact: true }).click()
    await expect(confirm.getByRole('alert')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByText('You did not confirm that it is you. Nothing was changed.')).toBeVisible()

    await wantConfirmation(page, '**/api/account/email')
    await page.getByRole('button', { name: 'Send link' }).click()
    await confirm.getByLabel('Password', { exact: true }).fill(person.password)
    await page.keyboard.press('Enter')
    await expect(page.getByText(`We sent a link to ${newEmail}.`)).toBeVisible()
    await inspect(page, 'new email waits')

    const link = linkTo('/verify-email', await waitForMail(product, newEmail, /./))
    const elsewhere = await newPage(browser)
    await elsewhere.goto(link)
    await expect(elsewhere.getByText('Sign in to the account that asked for this address')).toBeVisible()
    await elsewhere.context().close()
    const tab = await page.context().newPage()
    await tab.goto(link)
    await expect(tab.getByRole('heading', { name: 'Email Verified' })).toBeVisible()
    await expect(page.getByText('Pending verification'), 'the tab that waits follows').toBeHidden()
    await expect(page.getByText(newEmail).first()).toBeVisible()
    await waitForMail(product, person.email, /email|address/i)
    await tab.goto(link)
    await expect(tab.getByRole('heading', { name: 'Verification Failed' })).toBeVisible()
    await tab.close()
  })

  await test.step('a password is changed, with its rules told while it is typed', async () => {
    await page.getByRole('button', { name: 'Change password' }).click()
    const save = dialog.getByRole('button', { name: 'Change password' })
    await dialog.getByLabel('New password', { exact: true }).fill('a bell')
    await expect(dialog.getByText('At least 8 characters (not met yet)')).toBeVisible()
    await dialog.getByLabel('New password', { exact: true }).fill('a bell under water')
    await dialog.getByLabel('Confirm new password').fill('a bell under water')
    await expect(dialog.getByText('At least 8 characters (met)')).toBeVisible()
    await expect(dialog.getByText('Passwords match (met)')).toBeVisible()
    await dialog.getByLabel('Current password').fill('not the password')
    await save.click()
    await expect(dialog.getByRole('alert')).toBeVisible()
    await inspect(page, 'change password')
    await dialog.getByLabel('Current password').fill(person.password)
    await save.click()
    await expect(dialog).toBeHidden()
    await waitForMail(product, newEmail, /password/i)
  })

  await test.step('what is held is downloaded, and deleted', async () => {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download my data' }).click()
    expect((await download).suggestedFilename()).toMatch(/^tocsin-account-\d{4}-\d\d-\d\d\.json$/)

    await page.getByRole('button', { name: 'Delete my account' }).click()
    const remove = dialog.getByRole('button', { name: 'Delete my account' })
    await remove.click()
    await expect(dialog.getByText('Please type: delete my account')).toBeVisible()
    await inspect(page, 'delete my account')
    await dialog.getByRole('textbox').fill('delete my account')
    await remove.click()
    await expect(page).toHaveURL(`${product.url}/`)
    await expect(page.getByText('Account Deleted').first()).toBeVisible()
    await expect.poll(() => storedHints(page)).toEqual({ userAuth: null, userData: null, adminAuth: null })
    const { status } = await post('/api/auth/login', { email: newEmail, password: 'a bell under water' })
    expect(status).toBe(401)
  })
})

test('a provider signs in, says no, is linked, and confirms who is there', async ({ browser }) => {
  const greta = { sub: 'greta', email: 'greta@northquay.example', email_verified: true, name: 'Greta <b>Quay</b>' }
  const page = await newPage(browser)
  const byGoogle = async (path: string, on = page) => {
    await on.goto(product.url + path)
    await on.getByRole('link', { name: 'Google' }).click()
  }

  await test.step('a no at the provider, and the address of somebody else', async () => {
    google.person = null
    await byGoogle('/auth')
    await expect(page.getByText('You cancelled at the provider. Nothing was changed.')).toBeVisible()
    google.person = { ...greta, email: product.trader.email }
    await byGoogle('/auth')
    await expect(page.getByText('Log in to that account first')).toBeVisible()
    google.person = { ...greta, email_verified: false }
    await byGoogle('/auth')
    await expect(page.getByText('has not verified your email address')).toBeVisible()
  })

  await test.step('an unknown identity makes an account, with the name as it is', async () => {
    google.person = greta
    await byGoogle('/auth?next=%2Fsettings')
    await expect(page).toHaveURL(`${product.url}/settings`)
    await expect(page.getByText(greta.name).first()).toBeVisible()
    await expect(page.getByText(greta.email).first()).toBeVisible()
    await expect(page.getByText('Your only way to sign in: add another before you unlink it.')).toBeVisible()
    await inspect(page, 'settings of a provider’s account')
  })

  await test.step('it confirms who is there, if it names the same person', async () => {
    const download = page.getByRole('button', { name: 'Download my data' })
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
    for (const [person, said] of [
      [{ ...greta, sub: 'another' }, 'The provider did not confirm who you are.'],
      [greta, 'Now repeat your action. The confirmation is valid for ten minutes.'],
    ] as const) {
      google.person = person
      await wantConfirmation(page, '**/api/account/export')
      await download.click()
      await dialog.getByRole('link', { name: 'Confirm with Google' }).click()
      await expect(page.getByText(said).first()).toBeVisible()
      await expect(page).toHaveURL(`${product.url}/settings`)
    }
    const saved = page.waitForEvent('download')
    await download.click()
    await saved
  })

  await test.step('it is linked to another account, unless somebody has it, and opens that one', async () => {
    const other = await openSignedIn(browser, product.trader, '/settings')
    await wantConfirmation(other, '**/api/auth/confirm')
    await other.getByRole('button', { name: 'Link Google' }).click()
    const dialog = other.getByRole('dialog', { name: 'Confirm that it is you' })
    await dialog.getByLabel('Password', { exact: true }).fill(product.trader.password)
    await other.unroute('**/api/auth/confirm')
    await other.keyboard.press('Enter')
    await expect(other.getByText('belongs to another account')).toBeVisible()
    await expect(other).toHaveURL(`${product.url}/settings`)

    google.person = { ...greta, sub: 'jonas' }
    await other.getByRole('button', { name: 'Link Google' }).click()
    await expect(other.getByText('You can sign in with it now.', { exact: true })).toBeVisible()
    await expect(other.getByRole('button', { name: 'Unlink Google' })).toBeVisible()
    const third = await newPage(browser)
    await byGoogle('/auth', third)
    await expect(third).toHaveURL(`${product.url}/dashboard`)
    await expect.poll(async () => (await storedHints(third)).userData).toContain(product.trader.email)

    await other.getByRole('button', { name: 'Unlink Google' }).click()
    await expect(other.getByRole('button', { name: 'Link Google' })).toBeVisible()
  })
})

test('a name that is markup is text wherever it stands', async ({ browser }) => {
  const person = await signUp('<img src=x onerror=alert(1)>', 'markup@northquay.example')
  const page = await openSignedIn(browser, person, '/settings')
  const complaints: string[] = []
  page.on('dialog', (dialog) => void dialog.dismiss().then(() => complaints.push(dialog.message())))
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) complaints.push(message.text())
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
  const injected = 'img[src="x"], svg[onload], script:not([src]):not([type]), a[href^="javascript:"]'
  await expect(page.locator(injected)).toHaveCount(0)
  expect(complaints).toEqual([])
})

test('a wallet is linked, confirms who is there, and is unlinked', async ({ browser }) => {
  const page = await newPage(browser)
  const wallet = await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 7 })
  await page.goto(`${product.url}/auth?next=%2Fsettings`)
  await logIn(page, product.trader)
  await expect(page.getByText('No wallet linked')).toBeVisible()
  await page.getByRole('button', { name: 'Link a wallet' }).click()
  const dialog = page.getByRole('dialog')
  wallet.rejectNext('personal_sign')
  await dialog.getByRole('button', { name: 'Scripted Wallet' }).click()
  await expect(dialog.getByText('You cancelled in your wallet. Nothing was sent.')).toBeVisible()
  await dialog.getByRole('button', { name: /Continue with/ }).click()
  await expect(page.getByText('Proved in this session').first()).toBeVisible()

  await wantConfirmation(page, `**/api/wallets/${wallet.address}`)
  await page.getByRole('button', { name: /^Unlink 0x/ }).click()
  await dialog.getByRole('button', { name: 'Confirm with a wallet' }).click()
  await wallet.switchAccount(8)
  await dialog.getByRole('button', { name: 'Scripted Wallet' }).click()
  await expect(dialog.getByRole('alert')).toContainText('is not linked to your account')
  await inspect(page, 'confirm with a wallet')
  await wallet.switchAccount(7)
  await dialog.getByRole('button', { name: /Continue with/ }).click()
  await expect(page.getByText('No wallet linked')).toBeVisible()
  await page.goto(`${product.url}/history`)
  await expect(page.getByText('Wallet Unlinked').first()).toBeVisible()
})

test('settings that could not be read say so and are read again', async ({ browser }) => {
  const page = await openSignedIn(browser, product.trader, '/contact-support')
  await page.route('**/api/{account,auth/sessions}', (route) => route.fulfill({ status: 503, body: '' }))
  await page.goto(`${product.url}/settings?provider_error=identity_taken`)
  await expect(page.getByText('The server did not answer.')).toHaveCount(3)
  await expect(page.getByText('belongs to another account')).toBeVisible()
  expect(page.url()).toBe(`${product.url}/settings`)
  await inspect(page, 'settings that could not be read')
  await page.unroute('**/api/{account,auth/sessions}')
  await page.getByRole('button', { name: 'Try again' }).first().click()
  await expect(page.getByRole('button', { name: 'Change name' })).toBeVisible()
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('This device', { exact: true })).toBeVisible()

  await page.route('**/api/{account,auth/sessions}', () => {})
  await page.reload()
  await expect(page.getByRole('status', { name: 'Loading your account' })).toBeVisible()
  await inspect(page, 'settings while they are read')
})

test('no page of ours opens inside another site', async ({ page }) => {
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

test('the guard asks, waits 800 ms, and leads to the right door', async ({ page }) => {
  for (const [path, words, door] of [
    ['/settings', 'Checking authentication...', /\/auth\?next=%2Fsettings$/],
    ['/admin', 'Checking admin access...', /\/admin-auth$/],
  ] as const) {
    let answer: () => void = () => {}
    const asked = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/api/auth/user', async (route) => {
      await asked
      await route.fulfill({ json: { success: false, user: null } })
    })
    await page.goto(product.url + path)
    await expect(page.getByText(words)).toBeVisible()
    await inspect(page, words)
    const answeredAtMs = Date.now()
    answer()
    await expect(page).toHaveURL(door)
    expect(Date.now() - answeredAtMs).toBeGreaterThanOrEqual(800)
    await page.unroute('**/api/auth/user')
  }
  // The server's answer wins over what the browser remembers.
  await page.evaluate(() => {
    localStorage.setItem('userAuth', 'true')
    localStorage.setItem('userData', JSON.stringify({ email: 'mara@northquay.example', name: 'Mara' }))
  })
  for (const path of ['dashboard', 'notifications', 'history', 'verification']) {
    await page.goto(`${product.url}/${path}`)
    await expect(page).toHaveURL(`${product.url}/auth?next=%2F${path}`)
    expect(await storedHints(page)).toMatchObject({ userAuth: null, userData: null })
  }
})

interface Person {
  email: string
  password: string
}

/** An account whose address is verified, made through the product's own calls. */
async function signUp(name: string, email: string): Promise<Person> {
  const registered = await post('/api/auth/register', { name, email, password })
  expect(registered.status).toBe(200)
  const link = new URL(linkTo('/verify-email', await waitForMail(product, email, /./)))
  const verified = await fetch(`${product.url}/api/auth/verify-email${link.search}`)
  expect(await verified.json()).toMatchObject({ success: true })
  return { email, password }
}

function post(path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', origin: product.url }
  return fetch(product.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** Each in a context of its own: another device. */
async function newPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext()
  return context.newPage()
}

/**
 * Signed in by the product's own call, so that the first page to be loaded is the one that the test
 * is about.
 */
async function openSignedIn(browser: Browser, person: Person, path = '/dashboard'): Promise<Page> {
  const page = await newPage(browser)
  const headers = { origin: product.url }
  const answer = await page.request.post(`${product.url}/api/auth/login`, { headers, data: person })
  expect(answer.status()).toBe(200)
  await page.goto(product.url + path)
  // Until the page itself has heard who is there, it is one of a stranger, and its links load
  // another.
  await page.waitForFunction(() => localStorage.getItem('userAuth') === 'true')
  return page
}

/**
 * Answers the next such call as the server does once ten minutes have passed since the person
 * proved who they are; its own tests let them pass. All calls after it reach the server.
 */
async function wantConfirmation(page: Page, url: string): Promise<void> {
  const refusal = {
    success: false,
    code: 'reauthentication_required',
    message: 'Confirm that it is you first',
    requestId: 'r',
  }
  await page.route(url, (route) => route.fulfill({ status: 403, json: refusal }), { times: 1 })
}

async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  for (let presses = 0; presses < 40; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never reaches ${target}`)
}

function storedHints(page: Page) {
  return page.evaluate(() => ({
    userAuth: localStorage.getItem('userAuth'),
    userData: localStorage.getItem('userData'),
    adminAuth: localStorage.getItem('adminAuth'),
  }))
}
