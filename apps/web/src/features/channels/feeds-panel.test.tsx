// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { FeedsPanel } from './feeds-panel.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test.each<[string, () => Promise<Response>, RegExp]>([
  ['the private feed loads', () => new Promise(() => {}), /Public feed/],
  ['the private feed cannot be loaded', async () => new Response('', { status: 503 }), /The server did not respond\./],
  ['the private feed is loaded', async () => Response.json({ feed: null }), /Private feed/],
])('FeedsPanel: its lists contain only list items when %s', async (_, fetch, text) => {
  vi.stubGlobal('fetch', fetch)
  const { container } = render(
    <QueryClientProvider client={createQueryClient()}>
      <FeedsPanel />
    </QueryClientProvider>,
  )
  await screen.findByText(text)
  const isInvalid = ({ tagName, parentElement }: Element) => (tagName === 'LI') !== (parentElement?.tagName === 'UL')
  expect([...container.querySelectorAll('ul > *, li')].filter(isInvalid)).toEqual([])
})
