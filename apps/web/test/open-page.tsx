import { QueryClientProvider } from '@tanstack/react-query'
import { createBrowserHistory, RouterProvider } from '@tanstack/react-router'
import { cleanup, configure, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, onTestFinished, vi } from 'vitest'

// Only ends tests that hang, as everywhere: docs/decisions/2026-11-22-tests-wait-for-states.md.
configure({ asyncUtilTimeout: 120_000 })

interface Sent {
  method: string
  path: string
  query: Record<string, string>
  body: unknown
}

/** What the server answers: JSON, or a function for everything else. */
type Answer = object | ((sent: Sent) => Response | Promise<Response>)

/** Answers by method and path, as in `GET /api/config`. All other calls are answered with 503. */
export type Answers = Record<string, Answer>

export const signedOut: Answers = { 'GET /api/auth/user': { success: false, user: null } }

export const refuse =
  (status: number, code: string, message: string): Answer =>
  () =>
    Response.json({ success: false, code, message, requestId: 'r' }, { status })
/** As without a network. */
export const unreachable: Answer = () => Promise.reject(new TypeError('Failed to fetch'))
export const never: Answer = () => new Promise<Response>(() => {})

/**
 * Opens a page of the app at a URL of the site, with a server that gives these answers.
 * @returns the calls that were sent, and a user that clicks and types
 */
export async function openPage(
  url: string,
  answers: Answers,
): Promise<{ sent: Sent[]; user: ReturnType<typeof userEvent.setup> }> {
  const sent: Sent[] = []
  vi.stubGlobal('fetch', async (input: string | URL, init: RequestInit = {}) => {
    const { pathname, searchParams } = new URL(input, location.href)
    const one = {
      method: init.method ?? 'GET',
      path: pathname,
      query: Object.fromEntries(searchParams),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : null,
    }
    sent.push(one)
    const answer = answers[`${one.method} ${one.path}`]
    if (typeof answer === 'function') return answer(one)
    return answer ? Response.json(answer) : new Response('', { status: 503 })
  })
  history.replaceState(null, '', url)
  // A router belongs to one mounted app.
  vi.resetModules()
  const { createQueryClient } = await import('../src/api/queries.ts')
  const { router } = await import('../src/entry/router.tsx')
  const { AuthProvider } = await import('../src/session/auth.tsx')
  const { SystemToasts } = await import('../src/ui/system-toasts.tsx')
  router.update({ ...router.options, history: createBrowserHistory() })
  await router.load()
  render(
    <QueryClientProvider client={createQueryClient()}>
      <AuthProvider>
        <RouterProvider router={router} />
        <SystemToasts />
      </AuthProvider>
    </QueryClientProvider>,
  )
  onTestFinished(() => {
    cleanup()
    vi.unstubAllGlobals()
    localStorage.clear()
    sessionStorage.clear()
  })
  return { sent, user: userEvent.setup() }
}

/** Waits until the page shows a text. It may stand in several places, as in a form and a toast. */
export async function expectText(text: string | RegExp): Promise<void> {
  expect(await screen.findAllByText(text, { exact: false })).not.toEqual([])
}
