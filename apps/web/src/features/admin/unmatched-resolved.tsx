import { getPlan, type UnmatchedPayment } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { itoAmount } from './ito-amount.ts'
import { ResolvedNote } from './resolved-note.tsx'
import { resolutionOf } from './unmatched-words.ts'
import { unusualOrdersId } from './unusual-orders.tsx'
import { useAdminPlace } from './use-admin-place.ts'

type Credit = NonNullable<UnmatchedPayment['credit']>

/** How a payment was resolved: account, plan, admin, time, reason, and any overpayment. */
export function UnmatchedResolved({ payment }: { payment: UnmatchedPayment }) {
  const { credit, resolution } = payment
  const isNoted = resolution === 'ignore' || resolution === 'refund_noted'
  return (
    <>
      <ResolvedNote of={payment}>
        {isNoted || credit === null ? resolutionOf(payment) : <Given credit={credit} resolution={resolution} />}
      </ResolvedNote>
      {isNoted && credit && (
        <span className="block text-1">
          <Given credit={credit} resolution={resolution} />
        </span>
      )}
      {credit && credit.excessWei !== '0' && <Excess credit={credit} />}
    </>
  )
}

const given = { credit: creditedTo, matched: matchedAutomatically }

function Given({
  credit: { account, planType },
  resolution,
}: { credit: Credit } & Pick<UnmatchedPayment, 'resolution'>) {
  const { go } = useAdminPlace()
  const say = resolution === 'credit' || resolution === 'matched' ? given[resolution] : claimedLater
  return say({
    plan: getPlan(planType).name,
    account: account ? (
      <button type="button" className="link touch-target wrap-anywhere" onClick={() => go.show(account.id)}>
        {account.name || account.email || 'Unknown User'}
      </button>
    ) : (
      'a deleted account'
    ),
  })
}

const excessWords = { refund_noted: 'refund noted', ignore: 'ignored' }

/** Links to the purchase where the overpayment is resolved. */
function Excess({ credit: { excessWei, excessResolution } }: { credit: Credit }) {
  const { go } = useAdminPlace()
  function show() {
    go.refine({ flag: 'over', purchases: excessResolution === null ? 'open' : 'resolved' })
    document.getElementById(unusualOrdersId)?.scrollIntoView({ block: 'start' })
  }
  return (
    <span className="block text-1">
      {itoAmount(excessWei)} above its price,{' '}
      <button type="button" className="link touch-target" onClick={show}>
        {excessResolution === null ? 'not resolved yet' : excessWords[excessResolution]}
      </button>
    </span>
  )
}

function creditedTo({ plan, account }: { plan: string; account: ReactNode }) {
  return (
    <>
      Credited: {plan} to {account}
    </>
  )
}

function matchedAutomatically({ plan, account }: { plan: string; account: ReactNode }) {
  return (
    <>
      Matched automatically: {plan} to {account}
    </>
  )
}

function claimedLater({ plan, account }: { plan: string; account: ReactNode }) {
  return (
    <>
      Claimed later: {plan} to {account}
    </>
  )
}
