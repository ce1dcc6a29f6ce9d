// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { AuthProvider } from '../../session/auth.tsx'
import { TryIt } from './try-it.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('TryIt: keeps the focus in the address when a GET call is answered', async () => {
  let respond = (_response: Response) => {}
  vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => (respond = resolve)))
  const client = createQueryClient()
  client.setQueryData(queries.currentUser.queryKey, { success: false, user: null })
  render(
    <QueryClientProvider client={client}>
      <AuthProvider>
        <TryIt call={{ method: 'GET', path: '/api/status', example: {} } as never} />
      </AuthProvider>
    </QueryClientProvider>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Send GET' }))
  const address = screen.getByRole('textbox', { name: 'Address' })
  address.focus()
  respond(Response.json({ state: 'ok' }))
  expect(await screen.findByRole('textbox', { name: /^200/ })).toBeDefined()
  expect(document.activeElement).toBe(address)
})
