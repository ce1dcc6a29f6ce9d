// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { PublicConfig } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { getAlert } from '../../../../../packages/protocol/test/support/sample-alert.ts'
import { createQueryClient, queries } from '../../api/queries.ts'
import { ShareButton } from './share-button.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('ShareButton: an open dialog shares the alert that it was opened for, even if the page now shows another alert', async () => {
  const createdLinks: string[] = []
  vi.stubGlobal('fetch', async (url: string, { method }: RequestInit) => {
    if (method === 'POST') createdLinks.push(url)
    return Response.json({ logIndex: 1, token: 'secret', until: null })
  })
  const client = createQueryClient()
  // Cast: the dialog reads only these fields.
  const config = { publicDelayHours: 24, shareLinkHours: 72 } as PublicConfig
  client.setQueryData(queries.config.queryKey, config)
  const view = (logIndex: number) => (
    <QueryClientProvider client={client}>
      <ShareButton alert={getAlert(logIndex, { createdAt: new Date().toISOString() })} isIcon />
    </QueryClientProvider>
  )
  await import('./share-dialog.tsx')
  const user = userEvent.setup({ pointerEventsCheck: 0 })
  const { rerender } = render(view(1))
  await user.click(screen.getByRole('button', { name: 'Share' }))
  await screen.findByRole('dialog', { name: 'Share alert #1' })
  rerender(view(2))
  expect(screen.getByRole('dialog', { name: 'Share alert #1' })).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Create link' }))
  await screen.findByRole('textbox', { name: 'Private link' })
  expect(createdLinks).toEqual(['/api/alerts/alert-1/share'])

  await user.click(screen.getByRole('button', { name: 'Close' }))
  await user.click(screen.getByRole('button', { name: 'Share' }))
  expect(await screen.findByRole('dialog', { name: 'Share alert #2' })).toBeDefined()
})
