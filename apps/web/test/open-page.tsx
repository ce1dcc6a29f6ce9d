import { QueryClientProvider } from '@tanstack/react-query'
import { createBrowserHistory, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, onTestFinished, vi } from 'vitest'

interface SentRequest {
  method: string
  path: string
  query: Record<string, string>
  body: unknown
}

/** A response of the server: a JSON body, or a function that returns any other response. */
type Answer = object | ((sent: SentRequest) => Response | Promise<Response>)

/** Responses by method and path, such as `GET /api/config`. All other calls get status 503. */
export type Answers = Record<string, Answer>

export const signedOut: Answers = { 'GET /api/auth/user': { success: false, user: null } }

export const createRefusal =
  (status: number, code: string, message: string): Answer =>
  () =>
    Response.json({ success: false, code, message, requestId: 'r' }, { status })
/** Fails like a request without a network. */
export const failToConnect: Answer = () => Promise.reject(new TypeError('Failed to fetch'))
export const neverRespond: Answer = () => new Promise<Response>(() => {})

/**
 * Opens a page of the app at a URL of the site, with a server that sends these responses.
 * @returns the calls that were sent, and a user that clicks and types
 */
export async function openPage(
  url: string,
  answers: Answers,
): Promise<{ sent: SentRequest[]; user: ReturnType<typeof userEvent.setup> }> {
  const sent: SentRequest[] = []
  vi.stubGlobal('fetch', async (input: string | URL, init: RequestInit = {}) => {
    const { pathname, searchParams } = new URL(input, location.href)
    const sentRequest = {
      method: init.method ?? 'GET',
      path: pathname,
      query: Object.fromEntries(searchParams),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : null,
    }
    sent.push(sentRequest)
    const answer = answers[`${sentRequest.method} ${sentRequest.path}`]
    if (typeof answer === 'function') return answer(sentRequest)
    return answer ? Response.json(answer) : new Response('', { status: 503 })
  })
  history.replaceState(null, '', url)
  // Load the modules again, because a router belongs to only one mounted app.
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

/**
 * Waits until the page shows a text, once or several times, for example in a form and in a toast.
 */
export async function expectText(text: string | RegExp): Promise<void> {
  expect(await screen.findAllByText(text, { exact: false })).not.toEqual([])
}
