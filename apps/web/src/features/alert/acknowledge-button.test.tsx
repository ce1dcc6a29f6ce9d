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

test('AcknowledgeButton: the cache contains earlier acknowledgements when the click came before they were loaded', async () => {
  const savedAcknowledgements = [{ logIndex: 1, at }]
  const loadResolvers: ((response: Response) => void)[] = []
  vi.stubGlobal('fetch', async (_url: string, { method, body }: RequestInit) => {
    if (method === 'GET') return new Promise<Response>((resolve) => void loadResolvers.push(resolve))
    const newAcknowledgement = { logIndex: JSON.parse(String(body)).logIndex, at }
    savedAcknowledgements.unshift(newAcknowledgement)
    return Response.json(newAcknowledgement)
  })
  const client = createQueryClient()
  render(
    <QueryClientProvider client={client}>
      <AcknowledgeButton logIndex={2} />
    </QueryClientProvider>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Acknowledge' }))
  await expect.poll(() => loadResolvers).toHaveLength(2)
  loadResolvers[1]?.(Response.json(savedAcknowledgements))
  await screen.findByText(/^Acknowledged/)
  expect(client.getQueryData(queries.acknowledgements.queryKey)).toEqual(savedAcknowledgements)
})
