// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import {
  type Answers,
  createRefusal,
  expectText,
  failToConnect,
  neverRespond,
  openPage,
  signedOut,
} from './open-page.tsx'

const openSignedOutPage = (url: string, answers: Answers = {}) => openPage(url, { ...signedOut, ...answers })

describe('/verify-email', () => {
  const VERIFY = 'GET /api/auth/verify-email'
  const findHeading = (name: string) => screen.findByRole('heading', { name })

  it('says that no token was found, and sends no request, when the link has no token', async () => {
    const { sent } = await openSignedOutPage('/verify-email')
    await expectText('No verification token found')
    expect(sent.map(({ path }) => path)).not.toContain('/api/auth/verify-email')
  })

  it('shows the server’s reason when the server refuses the token', async () => {
    const { sent } = await openSignedOutPage('/verify-email?token=made-up', {
      [VERIFY]: createRefusal(400, 'token_invalid', 'This link is invalid.'),
    })
    expect(await findHeading('Verification Failed')).toBeDefined()
    expect(screen.getByText('This link is invalid.')).toBeDefined()
    expect(sent.filter(({ path }) => path === '/api/auth/verify-email').map(({ query }) => query)).toEqual([
      { token: 'made-up' },
    ])
    expect(location.search, 'the token is not kept in the history').toBe('')
  })

  it('offers a new sign-up when the link and its sign-up have expired', async () => {
    const message = 'This verification link and your sign-up have expired.'
    await openSignedOutPage('/verify-email?token=old', {
      [VERIFY]: { success: false, expired: true, signUpAgain: true, message },
    })
    expect(await findHeading('Link Expired')).toBeDefined()
    expect(screen.getByText(message)).toBeDefined()
    expect(screen.getByRole('link', { name: 'Sign up again' }).getAttribute('href')).toBe('/auth?tab=sign-up')
  })

  it('says that the request failed when the server cannot be reached', async () => {
    await openSignedOutPage('/verify-email?token=offline', { [VERIFY]: failToConnect })
    await expectText('Failed to verify email')
  })

  it('shows that the email is being verified while the server does not respond', async () => {
    await openSignedOutPage('/verify-email?token=slow', { [VERIFY]: neverRespond })
    await expectText('Verifying your email...')
  })
})

describe('/reset-password', () => {
  const CHECK = 'POST /api/auth/reset-password/check'
  const RESET = 'POST /api/auth/reset-password'
  const factor = { id: 'f', name: 'Passkey “Laptop”', addedAt: '2026-01-15T12:00:00.000Z' }
  const validLink = {
    success: true,
    expired: false,
    message: 'Choose a new password.',
    minLength: 6,
    waysIn: { identities: [], wallets: [], destinations: [], factors: [factor] },
  }
  const findHeading = (name: string) => screen.findByRole('heading', { name })

  /** Opens a valid link and waits for its form. */
  async function openForm(answers: Answers = {}) {
    const page = await openSignedOutPage('/reset-password?token=t', { [CHECK]: validLink, ...answers })
    const save = await screen.findByRole('button', { name: 'Reset password' })
    const fill = async (first: string, second: string) => {
      for (const [label, text] of [
        ['New password', first],
        ['Confirm password', second],
      ] as const) {
        await page.user.clear(screen.getByLabelText(label))
        await page.user.type(screen.getByLabelText(label), text)
      }
      await page.user.click(save)
    }
    return { ...page, save, fill }
  }

  it('says that the link is invalid when it has no token', async () => {
    await openSignedOutPage('/reset-password')
    expect(await findHeading('Invalid Reset Link')).toBeDefined()
    expect(screen.getByRole('link', { name: 'Request a new link' }).getAttribute('href')).toBe(
      '/auth?mode=forgot-password',
    )
  })

  it('says that the link is invalid when the server does not know the link', async () => {
    await openSignedOutPage('/reset-password?token=made-up', {
      [CHECK]: { ...validLink, success: false, message: 'Unknown link.' },
    })
    expect(await findHeading('Invalid Reset Link')).toBeDefined()
    expect(screen.getByText('Unknown link.')).toBeDefined()
  })

  it('says that the link has expired when an expired link is opened', async () => {
    const message = 'This reset link has expired.'
    await openSignedOutPage('/reset-password?token=old', {
      [CHECK]: { ...validLink, success: false, expired: true, message },
    })
    expect(await findHeading('Link Expired')).toBeDefined()
    expect(screen.getByText(message)).toBeDefined()
  })

  it('shows that the link is being checked while the server does not respond', async () => {
    await openSignedOutPage('/reset-password?token=t', { [CHECK]: neverRespond })
    await expectText('Checking your link…')
  })

  it('rejects empty, mismatched and short passwords without a request', async () => {
    const { save, fill, user, sent } = await openForm()
    await user.click(save)
    await expectText('Please fill in all fields')
    await fill('abcdef', 'fedcba')
    await expectText('Passwords do not match')
    await fill('abcde', 'abcde')
    await expectText('Password must be at least 6 characters long')
    expect(sent.map(({ path }) => path)).not.toContain('/api/auth/reset-password')
  })

  it('asks for a code when a second factor is to be removed, and shows an error when the code is missing', async () => {
    const message = 'Enter a code of your authenticator app or a recovery code to remove second factors.'
    const { fill, user, sent } = await openForm({ [RESET]: createRefusal(403, 'second_factor_required', message) })
    expect(screen.queryByLabelText('Code to remove second factors')).toBeNull()
    await user.click(screen.getByLabelText('Remove Passkey “Laptop”'))
    expect(screen.getByLabelText('Code to remove second factors')).toBeDefined()
    await fill('a good password', 'a good password')
    await expectText(message)
    expect(sent.at(-1)?.body).toMatchObject({ token: 't', newPassword: 'a good password', removeFactors: ['f'] })
  })

  it.each(['code_wrong', 'app_unreadable'])('removes the error %s when the code is edited', async (code) => {
    const message = 'The server refuses the code.'
    const { fill, user } = await openForm({ [RESET]: createRefusal(422, code, message) })
    await user.click(screen.getByLabelText('Remove Passkey “Laptop”'))
    await fill('a good password', 'a good password')
    await expectText(message)
    await user.type(screen.getByLabelText('Code to remove second factors'), '1')
    expect(screen.queryByText(message)).toBeNull()
  })

  it('removes the error of the code when the server then refuses the password', async () => {
    let code = 'code_wrong'
    const refuse = () =>
      Response.json({ success: false, code, message: `Refused: ${code}`, requestId: 'r' }, { status: 422 })
    const { save, fill, user } = await openForm({ [RESET]: refuse })
    await user.click(screen.getByLabelText('Remove Passkey “Laptop”'))
    await fill('a good password', 'a good password')
    await expectText('Refused: code_wrong')
    code = 'password_common'
    await user.click(save)
    await expectText('Refused: password_common')
    expect(screen.queryByText('Refused: code_wrong')).toBeNull()
  })

  it('keeps the form when the server refuses the code as expired', async () => {
    const message = 'This code has expired.'
    const { fill, user } = await openForm({ [RESET]: createRefusal(422, 'code_wrong', message) })
    await user.click(screen.getByLabelText('Remove Passkey “Laptop”'))
    await fill('a good password', 'a good password')
    await expectText(message)
    expect(screen.getByRole('button', { name: 'Reset password' })).toBeDefined()
  })

  it.each([
    ['keeps', 'belongs to another account', true, 'in'],
    ['ends', 'was ended by the new password', false, 'out'],
  ])('%s the session of this browser when it %s', async (_what, _when, isOtherAccount, session) => {
    let isSignedIn = true
    const user = { id: 'u-1', name: 'Ada', email: 'ada@example.com', isAdmin: false, permissions: [] }
    const { fill } = await openForm({
      'GET /api/auth/user': () => Response.json({ success: isSignedIn, user: isSignedIn ? user : null }),
      'POST /api/auth/logout': { success: true },
      [RESET]: () => {
        isSignedIn = isOtherAccount
        return Response.json({ success: true, message: 'Saved.', waysIn: { ...validLink.waysIn, factors: [] } })
      },
    })
    await fill('a good password', 'a good password')
    expect(await findHeading('Password Reset')).toBeDefined()
    // The header of public pages offers “Dashboard” or “Log in” according to this attribute.
    await expect.poll(() => document.documentElement.dataset.session).toBe(session)
    await expect.poll(() => screen.queryByRole('button', { name: 'Saving…' })).toBeNull()
    expect(document.documentElement.dataset.session).toBe(session)
  })

  it('shows “Link Expired” when the link expires before the form is sent', async () => {
    const { fill } = await openForm({ [RESET]: createRefusal(400, 'token_expired', 'This link has expired.') })
    await fill('a good password', 'a good password')
    expect(await findHeading('Link Expired')).toBeDefined()
  })
})

describe.each([
  ['/cancel-factor-reset', 'POST /api/auth/cancel-factor-reset', 'Cancel the removal', 'Invalid Link'],
  ['/unsubscribe', 'POST /api/channels/unsubscribe/t', 'Unsubscribe', 'The link is not valid'],
])('%s', (path, endpoint, label, invalidText) => {
  const clickButton = async ({ user }: Awaited<ReturnType<typeof openSignedOutPage>>) =>
    user.click(await screen.findByRole('button', { name: label }))

  it('offers another attempt when the server cannot be reached', async () => {
    const page = await openSignedOutPage(`${path}?token=t`, { [endpoint]: failToConnect })
    await clickButton(page)
    await expectText('The server did not respond. Please try again.')
    expect(screen.queryByText(invalidText)).toBeNull()
    await clickButton(page)
    const isEndpointCall = ({ method, path: sentTo }: (typeof page.sent)[number]) => `${method} ${sentTo}` === endpoint
    await expect.poll(() => page.sent.filter(isEndpointCall)).toHaveLength(2)
  })

  it('says that the link is invalid when the server refuses the token', async () => {
    await clickButton(
      await openSignedOutPage(`${path}?token=t`, {
        [endpoint]: createRefusal(400, 'token_invalid', 'This link has ended.'),
      }),
    )
    expect(await screen.findByRole('heading', { name: invalidText })).toBeDefined()
    expect(screen.getByText('This link has ended.')).toBeDefined()
    expect(screen.queryByRole('button', { name: label })).toBeNull()
  })
})
