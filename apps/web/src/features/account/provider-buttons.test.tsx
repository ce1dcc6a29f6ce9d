// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { isLogoutPending, markLogoutPending } from '../../api/pending-logout.ts'
import { systemToasts } from '../../ui/toast.tsx'
import { ProviderButtons } from './provider-buttons.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  systemToasts.clear()
  localStorage.clear()
})

/**
 * Clicks the link of a provider while a logout is pending. `answer` returns the response to every
 * call.
 */
function clickDuringLogout(answer: () => Promise<Response>) {
  markLogoutPending()
  const calls: string[] = []
  vi.stubGlobal('fetch', async (url: string) => {
    calls.push(url)
    return answer()
  })
  const assign = vi.spyOn(window.location, 'assign').mockImplementation((href) => void calls.push(String(href)))
  const signIn = { password: true, google: true, linkedin: false, wallet: false, walletChainIds: [] }
  render(<ProviderButtons signIn={signIn} returnTo="/history" />)
  const isFollowed = fireEvent.click(screen.getByRole('link', { name: 'Google' }))
  return { calls, assign, isFollowed }
}

test('ProviderButtons: a click completes a pending logout before it opens the page of the provider', async () => {
  const { calls, assign, isFollowed } = clickDuringLogout(async () => Response.json({ success: true, message: '' }))
  expect(isFollowed).toBe(false)
  await expect.poll(() => assign.mock.calls.length).toBeGreaterThan(0)
  expect(calls).toEqual(['/api/auth/logout', '/api/auth/google?returnTo=%2Fhistory'])
  expect(isLogoutPending()).toBe(false)
})

test('ProviderButtons: a click shows an error and stays on the page when the request for a pending logout fails', async () => {
  const { assign } = clickDuringLogout(() => Promise.reject(new TypeError('Failed to fetch')))
  await expect.poll(() => systemToasts.snapshot().shown.map(({ item }) => item.title)).toEqual(['Connection Failed'])
  expect(await screen.findByRole('link', { name: 'Google' })).toBeDefined()
  expect(assign).not.toHaveBeenCalled()
  expect(isLogoutPending()).toBe(true)
})
