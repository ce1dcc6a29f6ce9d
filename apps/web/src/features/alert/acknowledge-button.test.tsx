// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { AcknowledgeButton } from './acknowledge-button.tsx'

const at = '2026-11-21T14:32:14.000Z'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('acknowledge button: keeps earlier acknowledgements that had not been loaded', async () => {
  const saved = [{ logIndex: 1, at }]
  const loads: ((response: Response) => void)[] = []
  vi.stubGlobal('fetch', async (_url: string, { method, body }: RequestInit) => {
    if (method === 'GET') return new Promise<Response>((resolve) => void loads.push(resolve))
    const made = { logIndex: JSON.parse(String(body)).logIndex, at }
    saved.unshift(made)
    return Response.json(made)
  })
  const client = createQueryClient()
  render(
    <QueryClientProvider client={client}>
      <AcknowledgeButton logIndex={2} />
    </QueryClientProvider>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Acknowledge' }))
  await expect.poll(() => loads).toHaveLength(2)
  loads[1]?.(Response.json(saved))
  await screen.findByText(/^Acknowledged/)
  expect(client.getQueryData(queries.acknowledgements.queryKey)).toEqual(saved)
})
