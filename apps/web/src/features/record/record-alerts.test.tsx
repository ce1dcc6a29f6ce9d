// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { RecordAlerts } from './record-alerts.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const createItem = (logIndex: number) => ({ logIndex, status: 'pending', problem: null, prediction: null, alert: null })

test('RecordAlerts: reports that the next page failed to load, and loads it when “Try again” is clicked', async () => {
  let isServerDown = true
  vi.stubGlobal('fetch', async (url: string) => {
    if (!url.includes('cursor')) return Response.json({ items: [createItem(9)], next: 'older' })
    return isServerDown ? new Response('', { status: 503 }) : Response.json({ items: [createItem(8)], next: null })
  })
  render(
    <QueryClientProvider client={createQueryClient()}>
      <RecordAlerts origin="feed" selection={{ set: 'counted' }} title="Counted" />
    </QueryClientProvider>,
  )
  fireEvent.click(await screen.findByRole('button', { name: 'Load more' }))
  await screen.findByText('Failed to load the next page.')
  isServerDown = false
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('#8')).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull()
})
