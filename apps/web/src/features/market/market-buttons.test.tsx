import { QueryClientProvider } from '@tanstack/react-query'
import type { Alert } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { AuthProvider } from '../../session/auth.tsx'
import { AlertMarketButtons } from './market-buttons.tsx'

// Cast: the buttons read only these fields.
const alert = { id: 'a-1', signalHash: null, prediction: { venue: 'binance', market: 'ETHUSDT' } } as unknown as Alert

/** Renders the buttons for a user with or without a session, and with or without a plan. */
function renderButtons({ isIn, hasPlan }: { isIn: boolean; hasPlan: boolean }) {
  const client = createQueryClient()
  client.setQueryData(queries.currentUser.queryKey, { success: true, user: isIn ? ({ id: 'u-1' } as never) : null })
  client.setQueryData(queries.activeSubscription('u-1').queryKey, hasPlan ? ({ id: 's-1' } as never) : null)
  return renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <AuthProvider>
        <AlertMarketButtons alert={alert} />
      </AuthProvider>
    </QueryClientProvider>,
  )
}
const primaryLinkPattern = /<a [^>]*class="[^"]*\bbg-signal\b[^"]*"[^>]*>/g

test('market buttons: “Open on Binance” is the primary button when the reader has a plan', () => {
  const html = renderButtons({ isIn: true, hasPlan: true })
  expect(html.match(primaryLinkPattern)).toHaveLength(1)
  expect(html.match(primaryLinkPattern)?.[0]).toContain('title="Open on Binance (o)"')
})

test.each([
  ['when the reader has no plan', { isIn: true, hasPlan: false }],
  ['when the reader has no session', { isIn: false, hasPlan: true }],
])('market buttons: have no primary button %s', (_, reader) => {
  const html = renderButtons(reader)
  expect(html).toContain('Open on Binance')
  expect(html).not.toMatch(primaryLinkPattern)
})
