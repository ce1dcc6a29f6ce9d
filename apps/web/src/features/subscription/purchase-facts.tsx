import { getChain, type Order, type Subscription } from '@tocsin/protocol'
import { Address } from '../../ui/address.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { KeyValue, KeyValueList } from '../../ui/key-value.tsx'
import { useNow } from '../../ui/now.ts'
import { Time } from '../../ui/time.tsx'
import { formatAmount, formatFee } from '../../wallet/amount.ts'
import { useWallet } from '../../wallet/wallet.tsx'
import { Balance } from './balance.tsx'
import { useFlow } from './flow-context.ts'
import { isPayable } from './order-state.ts'
import { formatIto } from './purchase.ts'
import { formatTimeLeft, isQueued } from './subscription-time.ts'

/** Costs and recipient before the payment; the purchased period after it. */
export function PurchaseFacts() {
  const { order } = useFlow()
  if (order?.status === 'paid' && order.subscription) {
    return <PurchasedFacts order={order} subscription={order.subscription} />
  }
  return <CostFacts />
}

function CostFacts() {
  const { terms, funds, order, phase } = useFlow()
  const { network, balanceWei } = useWallet()
  const before = funds?.balanceWei ?? (terms?.chainId === network.id ? balanceWei : null)
  const isPayableNow = terms !== null && (order === null || isPayable(order))
  const after = isPayableNow && before !== null && before >= terms.amountWei ? before - terms.amountWei : null
  const fee = funds?.feeWei ?? null
  return (
    <KeyValueList>
      {phase === 'underpaid' && order !== null ? (
        <>
          <KeyValue label="Arrived">
            {`${formatIto(BigInt(order.paidWei))} of ${formatIto(BigInt(order.priceWei))} ITO`}
          </KeyValue>
          <KeyValue label="Still to send">{formatIto(BigInt(order.missingWei))} ITO</KeyValue>
        </>
      ) : (
        <>
          <KeyValue label="Your balance">
            <Balance balanceWei={before} />
          </KeyValue>
          <KeyValue label="After paying">{after === null ? '—' : `${formatAmount(after, 2)} ITO`}</KeyValue>
        </>
      )}
      <KeyValue label="Network fee, about">{fee === null ? '—' : `${formatFee(fee)} ${terms?.coin}`}</KeyValue>
      <FullAddress label="To the treasury" copyLabel="Copy treasury address" value={terms?.treasury ?? null} />
      {terms?.path === 'approve' && (
        <>
          <FullAddress label="Approved for" copyLabel="Copy spender address" value={terms.spender} />
          <KeyValue label="Allowance left">{formatIto(funds?.allowanceWei ?? 0n)} ITO</KeyValue>
        </>
      )}
    </KeyValueList>
  )
}

/** Room for a label and an address. The address wraps to two lines on the narrowest phones. */
const twoLines = 'h-[52px] max-[374px]:h-[68px]'

/** Shows the address in full, so that the user can compare it with the wallet's request. */
function FullAddress({ label, copyLabel, value }: { label: string; copyLabel: string; value: string | null }) {
  return (
    <div className={`${twoLines} py-1`}>
      <dt className="flex items-center justify-between text-base text-2">
        {label}
        {value !== null && <CopyButton text={value} label={copyLabel} />}
      </dt>
      <dd className="text-data tracking-[-0.03em] wrap-anywhere">{value ?? '—'}</dd>
    </div>
  )
}

function PurchasedFacts({ order, subscription }: { order: Order; subscription: Subscription }) {
  const { startTime, endTime } = subscription
  const left = useNow((nowMs) => formatTimeLeft(isQueued(startTime, nowMs) ? startTime : endTime, nowMs))
  const isWaiting = useNow((nowMs) => isQueued(startTime, nowMs))
  const { explorerUrl } = getChain(order.chainId)
  const hash = order.transactionHash ?? subscription.transactionHash
  return (
    <KeyValueList>
      <KeyValue label={isWaiting ? 'Starts in' : 'Time left'}>{left}</KeyValue>
      <KeyValue label="Ends">
        <Time at={endTime} show="date" />
      </KeyValue>
      <KeyValue label="Paid">{formatIto(BigInt(order.paidWei))} ITO</KeyValue>
      {/* Same height as the treasury row before the payment, so that the rows below don't move. */}
      <KeyValue label="Transaction" className={twoLines}>
        <Address value={hash} copy {...(explorerUrl === null ? {} : { href: `${explorerUrl}/tx/${hash}` })} />
      </KeyValue>
    </KeyValueList>
  )
}
