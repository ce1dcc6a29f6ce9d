// @vitest-environment happy-dom
import { act, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Answers, expectText, failToConnect, neverRespond, openPage, signedOut } from './open-page.tsx'

const USER = 'GET /api/auth/user'
const LOGOUT = 'POST /api/auth/logout'

afterEach(() => {
  vi.useRealTimers()
})

describe('guard of signed-in pages', () => {
  it('shows that the session is being checked while the server does not respond', async () => {
    await openPage('/settings', { [USER]: neverRespond })
    await expectText('Checking authentication...')
    expect(location.pathname).toBe('/settings')
  })

  it('shows at /admin that admin access is being checked', async () => {
    await openPage('/admin', { [USER]: neverRespond })
    await expectText('Checking admin access...')
  })

  it('opens the sign-in page 800 ms after the server responds that no user is signed in', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: false })
    await openPage('/settings', signedOut)
    await act(() => vi.advanceTimersByTimeAsync(0))
    await act(() => vi.advanceTimersByTimeAsync(799))
    expect(location.pathname).toBe('/settings')
    await act(() => vi.advanceTimersByTimeAsync(1))
    expect(location.pathname + location.search).toBe('/auth?next=%2Fsettings')
  })

  it('does not show the page while the server cannot be reached, and retries on demand', async () => {
    const answers: Answers = { [USER]: failToConnect }
    const { user } = await openPage('/settings', answers)
    await expectText('Tocsin is not responding')
    await expectText('Your session and your plan are not affected.')
    Object.assign(answers, signedOut)
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    await expect.poll(() => location.pathname).toBe('/auth')
  })
})

describe('guard while a logout is not confirmed', () => {
  it('repeats the logout before it asks for the session', async () => {
    localStorage.setItem('logoutPending', 'true')
    const { sent } = await openPage('/settings', { ...signedOut, [LOGOUT]: { success: true } })
    await expect.poll(() => location.pathname).toBe('/auth')
    const calls = sent.map(({ path }) => path).filter((path) => path.startsWith('/api/auth/'))
    expect(calls.slice(0, 2)).toEqual(['/api/auth/logout', '/api/auth/user'])
    expect(localStorage.getItem('logoutPending')).toBeNull()
  })

  it('does not ask for the session while the logout fails', async () => {
    localStorage.setItem('logoutPending', 'true')
    const { sent } = await openPage('/settings', { ...signedOut, [LOGOUT]: failToConnect })
    await expectText('Your logout is not confirmed')
    await expectText('your session may still be open on the server')
    expect(sent.map(({ path }) => path)).not.toContain('/api/auth/user')
    expect(localStorage.getItem('logoutPending')).not.toBeNull()
  })
})
