import { QueryClientProvider } from '@tanstack/react-query'
import type { BusinessTreasury } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { adminQueries } from './admin-queries.ts'
import { TreasuryPanel } from './treasury-panel.tsx'

const toWei = (halves: number) => (BigInt(halves) * 5n * 10n ** 17n).toString()

/**
 * Renders the panel for a treasury that received 30 ITO. Returns the amounts by label.
 * `refundedHalves` and `balanceHalves` are amounts in units of 0.5 ITO.
 */
function getTerms({ refundedHalves, balanceHalves }: { refundedHalves: number; balanceHalves: number }) {
  const treasury: BusinessTreasury[number] = {
    chainId: 1,
    chainName: 'Ethereum',
    treasury: '0x00000000000000000000000000000000000000AA',
    balanceWei: toWei(balanceHalves),
    credited: { count: 1, sumWei: toWei(60) },
    unmatched: { count: 0, sumWei: '0' },
    resolved: { count: 0, sumWei: '0' },
    refunded: { count: 1, sumWei: toWei(refundedHalves) },
    former: { count: 2, sumWei: toWei(14) },
  }
  const client = createQueryClient()
  client.setQueryData(adminQueries.treasury.queryKey, [treasury])
  const html = renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <TreasuryPanel />
    </QueryClientProvider>,
  )
  const termMatches = html.matchAll(/<dt[^>]*>([^<]*).*?<dd[^>]*>([^<]*)/g)
  return Object.fromEntries([...termMatches].map(([, label, amount]) => [label, amount]))
}

const WITHDRAWN = 'Withdrawn, or refunded without a record'
const NOT_IN_LEDGER = 'In the treasury, but not in the ledger'

test.each([
  ['less than the recorded refunds have left it', { refundedHalves: 5, balanceHalves: 50 }, WITHDRAWN, '−2.5 ITO'],
  ['the recorded refunds have left it', { refundedHalves: 5, balanceHalves: 55 }, WITHDRAWN, '0 ITO'],
  ['the refunds came from another wallet', { refundedHalves: 5, balanceHalves: 60 }, NOT_IN_LEDGER, '2.5 ITO'],
  ['it holds more than it received', { refundedHalves: 5, balanceHalves: 65 }, NOT_IN_LEDGER, '5 ITO'],
])('TreasuryPanel: explains the balance of the treasury with one extra line when %s', (_, amounts, label, amount) => {
  const terms = getTerms(amounts)
  expect(terms).toMatchObject({ 'Total received': '30 ITO', 'Refunded, with transaction': '−2.5 ITO' })
  expect(terms['Received with a former treasury or token']).toBe('7 ITO')
  expect({ [WITHDRAWN]: terms[WITHDRAWN], [NOT_IN_LEDGER]: terms[NOT_IN_LEDGER] }).toEqual({
    ...{ [WITHDRAWN]: undefined, [NOT_IN_LEDGER]: undefined },
    [label]: amount,
  })
})
