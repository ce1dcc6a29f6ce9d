// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { AcknowledgeButton } from './acknowledge-button.tsx'

const at = '2026-11-21T14:32:14.000Z'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/**
 * Shows the button of alert 2. `listResolvers` answer the requests of the list, oldest first.
 * @param loadedIndexes the acknowledged alerts that the page has loaded, or null
 */
function openButton(loadedIndexes: number[] | null) {
  const savedAcknowledgements = [{ logIndex: 1, at }]
  const listResolvers: ((response: Response) => void)[] = []
  vi.stubGlobal('fetch', async (_url: string, { method, body }: RequestInit) => {
    if (method === 'GET') return new Promise<Response>((resolve) => void listResolvers.push(resolve))
    const newAcknowledgement = { logIndex: JSON.parse(String(body)).logIndex, at }
    savedAcknowledgements.unshift(newAcknowledgement)
    return Response.json(newAcknowledgement)
  })
  const client = createQueryClient()
  const { queryKey } = queries.acknowledgements
  if (loadedIndexes)
    client.setQueryData(
      queryKey,
      loadedIndexes.map((logIndex) => ({ logIndex, at })),
    )
  render(
    <QueryClientProvider client={client}>
      <AcknowledgeButton logIndex={2} />
    </QueryClientProvider>,
  )
  return {
    savedAcknowledgements,
    listResolvers,
    /** Refetches the list, as after a change in another tab. */
    refetch: () => act(() => void client.invalidateQueries({ queryKey })),
    readCache: () => act(async () => client.getQueryData(queryKey)),
    click: () => fireEvent.click(screen.getByRole('button', { name: 'Acknowledge' })),
  }
}

test('AcknowledgeButton: the cache contains earlier acknowledgements when the button is clicked before these are loaded', async () => {
  const { savedAcknowledgements, listResolvers, readCache, click } = openButton(null)
  click()
  await expect.poll(() => listResolvers).toHaveLength(2)
  listResolvers[1]?.(Response.json(savedAcknowledgements))
  await screen.findByText(/^Acknowledged/)
  expect(await readCache()).toEqual(savedAcknowledgements)
})

test('AcknowledgeButton: announces the acknowledgement and keeps the focus when the focused button is pressed', async () => {
  const { click } = openButton([])
  screen.getByRole('button', { name: 'Acknowledge' }).focus()
  click()
  await screen.findByText(/^Acknowledged/)
  expect(screen.getByRole('status').textContent).toMatch(/^Acknowledged/)
  expect(document.activeElement).toBe(screen.getByRole('status'))
})

test('AcknowledgeButton: keeps the acknowledgement when an older refetch responds, and loads those of other tabs', async () => {
  const { savedAcknowledgements, listResolvers, refetch, readCache, click } = openButton([])
  refetch()
  await expect.poll(() => listResolvers).toHaveLength(1)
  const olderResponse = Response.json(savedAcknowledgements)
  click()
  await screen.findByText(/^Acknowledged/)
  listResolvers[0]?.(olderResponse)
  await expect.poll(() => listResolvers).toHaveLength(2)
  listResolvers[1]?.(Response.json(savedAcknowledgements))
  await expect.poll(readCache).toEqual([
    { logIndex: 2, at },
    { logIndex: 1, at },
  ])
  expect(screen.getByText(/^Acknowledged/)).toBeDefined()
})
