import { QueryClientProvider } from '@tanstack/react-query'
import type { Destination } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { ReauthenticationContext } from '../../session/reauthentication.ts'
import { EscalationPanel } from './escalation-panel.tsx'
import { RulesForm } from './rules-form.tsx'

const names = { assets: [], types: [], regimes: [], watchlist: false }
const limits = { lowestPriority: 'low', lowestConfidence: 0, coolDownMinutes: 0, mostPerHour: null } as const
const quietHours = { days: [1], from: 1_320, to: 420, timeZone: 'UTC', criticalPasses: true }

function getDestination(id: string, change: Partial<Destination>): Destination {
  const rules = { ...names, ...limits }
  return { id, kind: 'email', name: id, state: 'on', rules, quietHours, digest: null, ...change } as Destination
}

const renderText = (children: ReactNode) =>
  renderToStaticMarkup(
    <ReauthenticationContext value={async () => {}}>
      <QueryClientProvider client={createQueryClient()}>{children}</QueryClientProvider>
    </ReauthenticationContext>,
  ).replace(/<[^>]*>/g, ' ')

test.each([
  ['each alert at once', null, 'Send critical alerts at once', 'go into the digest, too'],
  ['a digest', { every: 'hour' }, 'go into the digest, too', 'Send critical alerts at once'],
] as const)('RulesForm: quiet hours explain how critical alerts are sent if the destination receives %s', (...row) => {
  const [, digest, shownText, hiddenText] = row
  const text = renderText(<RulesForm destination={getDestination('Inbox', { digest })} />)
  expect(text).toContain(shownText)
  expect(text).not.toContain(hiddenText)
})

test('EscalationPanel: shows “digest” instead of a time for a digest destination, which does not delay later steps', () => {
  const [first, digestDestination, last] = ['Bot', 'Inbox', 'Phone'].map((id, escalationStep) =>
    getDestination(id, { escalationStep, digest: id === 'Inbox' ? { every: 'hour' } : null }),
  ) as [Destination, Destination, Destination]
  const text = renderText(<EscalationPanel destinations={[last, digestDestination, first]} />)
  expect(text).toMatch(/at once\W+Email, Bot\W+digest\W+Email, Inbox\W+5 min\W+Email, Phone/)
})
