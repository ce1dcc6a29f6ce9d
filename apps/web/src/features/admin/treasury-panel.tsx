import { useQuery } from '@tanstack/react-query'
import type { BusinessTreasury } from '@tocsin/protocol'
import { Address } from '../../ui/address.tsx'
import { formatCountOf } from '../../ui/count.ts'
import { adminQueries } from './admin-queries.ts'
import { treasuryDefinitions } from './business-definitions.ts'
import { DefinedPanel } from './definitions.tsx'
import { formatItoAmount } from './ito-amount.ts'
import { QueryRows } from './query-rows.tsx'

/**
 * Compares the balance of the treasury with the amount that it received according to the ledger.
 */
export function TreasuryPanel() {
  const query = useQuery(adminQueries.treasury)
  const { data } = query
  return (
    <DefinedPanel title="Treasury" defined={{ of: 'the treasury', list: treasuryDefinitions }}>
      <QueryRows
        query={query}
        loading={{ label: 'Loading the treasury', rows: 4 }}
        failed="Failed to fetch the treasury"
        empty={null}
      >
        {data?.map((treasury) => (
          <Treasury key={treasury.chainId} treasury={treasury} />
        ))}
      </QueryRows>
    </DefinedPanel>
  )
}

function Treasury({ treasury: treasuryFigures }: { treasury: BusinessTreasury[number] }) {
  const receivedWei = [treasuryFigures.credited, treasuryFigures.unmatched, treasuryFigures.resolved].reduce(
    (sum, { sumWei }) => sum + BigInt(sumWei),
    0n,
  )
  const refundedWei = BigInt(treasuryFigures.refunded.sumWei)
  const unexplainedWei =
    treasuryFigures.balanceWei === null ? null : BigInt(treasuryFigures.balanceWei) - (receivedWei - refundedWei)
  return (
    <section aria-label={treasuryFigures.chainName} className="border-b border-line-1 last:border-b-0">
      <h3 className="flex flex-wrap items-baseline gap-x-2 px-5 pt-4 phone:px-4">
        <span className="text-number-sm">
          {treasuryFigures.balanceWei === null ? 'Unknown' : formatItoAmount(treasuryFigures.balanceWei)}
        </span>
        <span className="text-hint text-2">
          now on {treasuryFigures.chainName}, <Address value={treasuryFigures.treasury} copy />
        </span>
      </h3>
      <dl className="mt-2 divide-y divide-line-1">
        <Term
          label="Credited to plans"
          count={treasuryFigures.credited.count}
          amount={treasuryFigures.credited.sumWei}
        />
        <Term
          label="Unmatched, open"
          count={treasuryFigures.unmatched.count}
          amount={treasuryFigures.unmatched.sumWei}
        />
        <Term
          label="Unmatched, resolved"
          count={treasuryFigures.resolved.count}
          amount={treasuryFigures.resolved.sumWei}
        />
        <Term label="Total received" amount={receivedWei} isTotal />
        <Term label="Refunded, with transaction" count={treasuryFigures.refunded.count} amount={-refundedWei} />
        {unexplainedWei !== null && unexplainedWei <= 0n && (
          <Term label="Withdrawn, or refunded without a record" amount={unexplainedWei} />
        )}
        {unexplainedWei !== null && unexplainedWei > 0n && (
          <Term label="In the treasury, but not in the ledger" amount={unexplainedWei} />
        )}
        {treasuryFigures.former.count > 0 && (
          <Term
            label="Received with a former treasury or token"
            count={treasuryFigures.former.count}
            amount={treasuryFigures.former.sumWei}
          />
        )}
      </dl>
    </section>
  )
}

type TermProps = { label: string; count?: number; amount: string | bigint; isTotal?: boolean }

function Term({ label, count, amount, isTotal = false }: TermProps) {
  return (
    <div className="flex min-h-9 items-center gap-3 px-5 py-1.5 text-base phone:px-4">
      <dt className={isTotal ? 'font-medium' : ''}>
        {label}
        {count !== undefined && count > 0 && (
          <span className="ml-2 text-hint text-2">{formatCountOf(count, 'payment')}</span>
        )}
      </dt>
      <dd className="ml-auto shrink-0 text-right text-data font-medium">{formatItoAmount(amount)}</dd>
    </div>
  )
}
