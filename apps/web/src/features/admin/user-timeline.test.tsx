import { QueryClientProvider } from '@tanstack/react-query'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { adminQueries } from './admin-queries.ts'
import { UserTimeline } from './user-timeline.tsx'

vi.mock(
  './use-admin-search-params.ts',
  async () => (await import('../../../test/support/admin-user.ts')).adminSearchParams,
)

test('UserTimeline: shows an action of staff with its label in the audit log, and who made it', () => {
  const client = createQueryClient()
  const event = { type: 'staff', id: 's1', at: '2026-11-24T12:00:00.000Z', reason: null, detail: {} } as const
  client.setQueryData(adminQueries.timeline('u-1').queryKey, {
    pages: [{ items: [{ ...event, action: 'letter_answered', actor: null }], nextCursor: null }],
    pageParams: [''],
  })
  const html = renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <UserTimeline id="u-1" />
    </QueryClientProvider>,
  )
  const text = html.replace(/<[^>]*>/g, '')
  expect(text).toContain('Support message replied to by the server, the command line or a link in an email')
  expect(text).toContain('1 event in total')
})
