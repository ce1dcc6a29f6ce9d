// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { type Answers, createRefusal, expectText, failToConnect, openPage, signedOut } from './open-page.tsx'

const LOGIN = 'POST /api/auth/login'

describe('/admin-auth', () => {
  it('uses the user of the response to the login, and sends no further request for the user', async () => {
    const account = { id: '00000000-0000-4000-8000-000000000001', email: 'mara@northquay.example', name: 'Mara' }
    const rights = { isAdmin: false, role: 'user', permissions: [], mustEnrol: false, wallets: [], provedWallets: [] }
    const createdAt = '2026-11-24T12:00:00.000Z'
    const { user, sent } = await openPage('/admin-auth', {
      ...signedOut,
      [LOGIN]: { success: true, message: '', requiresVerification: false, user: { ...account, ...rights, createdAt } },
    })
    await user.type(await screen.findByLabelText('Email'), account.email)
    await user.type(screen.getByLabelText('Password'), 'a good password')
    await user.click(screen.getByRole('button', { name: 'Log in as admin' }))
    await expectText('Admin privileges required')
    expect(sent.filter(({ path }) => path === '/api/auth/user')).toHaveLength(1)
    expect(localStorage.getItem('userAuth'), 'the user is signed in').toBe('true')
  })
})

describe('/auth', () => {
  const REGISTER = 'POST /api/auth/register'

  async function openForm(url: string, answers: Answers = {}) {
    const page = await openPage(url, { ...signedOut, ...answers })
    await screen.findByLabelText('Email')
    return {
      ...page,
      submit: (name: string) => page.user.click(screen.getByRole('button', { name })),
      async fill(values: Record<string, string>) {
        for (const [label, text] of Object.entries(values)) {
          await page.user.clear(screen.getByLabelText(label))
          await page.user.type(screen.getByLabelText(label), text)
        }
      },
      calls: () => page.sent.filter(({ method }) => method === 'POST').map(({ path }) => path),
    }
  }

  it('asks for all fields before it calls the server', async () => {
    const { submit, calls } = await openForm('/auth')
    await submit('Log in')
    await expectText('Please fill in all fields')
    expect(calls()).toEqual([])
  })

  it('shows the server’s message and keeps the email address when the server rejects the password', async () => {
    const message = 'Invalid email or password. Please try again.'
    const { submit, fill } = await openForm('/auth', { [LOGIN]: createRefusal(401, 'invalid_credentials', message) })
    await fill({ Email: 'mara@northquay.example', Password: 'wrong password' })
    await submit('Log in')
    await expectText(message)
    expect(screen.getByLabelText<HTMLInputElement>('Email').value).toBe('mara@northquay.example')
  })

  it('says that the request failed when the server cannot be reached', async () => {
    const { submit, fill } = await openForm('/auth', { [LOGIN]: failToConnect })
    await fill({ Email: 'mara@northquay.example', Password: 'a password' })
    await submit('Log in')
    await expectText('An error occurred during login. Please try again.')
  })

  it('rejects mismatched and short passwords at sign-up without a request', async () => {
    const { submit, fill, calls } = await openForm('/auth?tab=sign-up')
    const values = { Name: 'Mara', Email: 'mara@northquay.example', Password: 'a good password' }
    await fill({ ...values, 'Confirm password': 'another' })
    await submit('Create account')
    await expectText('Passwords do not match')
    await fill({ Password: '1234567', 'Confirm password': '1234567' })
    await submit('Create account')
    const tooShort = 'Password must be at least 8 characters long'
    await expectText(tooShort)
    expect(calls()).toEqual([])
  })

  it.each([
    ['/auth?tab=sign-up', 'Create account', REGISTER],
    ['/auth?mode=forgot-password', 'Send reset link', 'POST /api/auth/forgot-password'],
  ])('says at %s that the email quota is used up when the server responds with 429', async (url, button, call) => {
    const message = 'Too many emails were requested. Nothing was sent. Try again in 42 minutes.'
    const { submit, fill } = await openForm(url, { [call]: createRefusal(429, 'too_many_requests', message) })
    const secret = 'a good password'
    await fill({
      Email: 'mara@northquay.example',
      ...(call === REGISTER ? { Name: 'Mara', Password: secret, 'Confirm password': secret } : {}),
    })
    await submit(button)
    await expectText(message)
  })

  it('says that the email quota is used up when the server responds with 429 to “Resend”', async () => {
    const message = 'Too many emails were requested. Nothing was sent. Try again in 42 minutes.'
    const { submit, fill } = await openForm('/auth', {
      [LOGIN]: { success: false, requiresVerification: true, message: 'Please verify your email address first.' },
      'POST /api/auth/resend-verification': createRefusal(429, 'too_many_requests', message),
    })
    await fill({ Email: 'mara@northquay.example', Password: 'a good password' })
    await submit('Log in')
    await expectText('Please verify your email address first.')
    await submit('Resend')
    await expectText(message)
  })

  it.each([
    ['not_configured', 'This provider is not configured here.'],
    ['expired', /The provider’s response came too late/],
    ['%3Cb%3Eboom', 'The provider did not confirm who you are.'],
  ])('explains the provider error %s and removes it from the URL', async (code, message) => {
    await openForm(`/auth?provider_error=${code}`)
    await expectText(message)
    expect(location.search).toBe('')
  })

  it('offers email and password when the list of sign-in methods cannot be read', async () => {
    await openForm('/auth')
    expect(screen.getByRole('button', { name: 'Log in' })).toBeDefined()
    expect(screen.queryByRole('link', { name: 'Google' })).toBeNull()
  })
})
