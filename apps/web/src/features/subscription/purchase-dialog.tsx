import { getPlan, type Order, plans, type Subscription } from '@tocsin/protocol'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { CountdownCells } from '../../ui/countdown-cells.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { KeyValue, KeyValueList } from '../../ui/key-value.tsx'
import { useNow } from '../../ui/now.ts'
import { Time } from '../../ui/time.tsx'
import { Transaction } from '../../ui/transaction.tsx'
import { formatAmount, formatFee } from '../../wallet/amount.ts'
import { useWallet } from '../../wallet/wallet.tsx'
import { Balance } from './balance.tsx'
import { CouponField } from './coupon-field.tsx'
import { usePurchaseFlow } from './flow-context.ts'
import { isPayable } from './order-state.ts'
import { formatIto, getCouponPrice, type PurchasePhase } from './purchase.ts'
import { PurchaseActions } from './purchase-actions.tsx'
import { PurchaseSteps } from './purchase-steps.tsx'
import { formatTimeLeft, isQueued } from './subscription-time.ts'
import { useRunningSubscription } from './use-running-subscription.ts'
import { useSelectPlan } from './use-select-plan.ts'

const titles: Record<PurchasePhase, string> = {
  choose: 'Subscribe to Insights',
  confirm: 'Confirm purchase',
  ordering: 'Confirm purchase',
  proving: 'Verify this wallet',
  approving: 'Approve in your wallet',
  approved: 'Approval sent',
  collecting: 'Approved',
  wallet: 'Confirm in your wallet',
  sent: 'Payment sent',
  confirming: 'Payment in a block',
  active: 'Subscription active',
  underpaid: 'Payment incomplete',
  reorganised: 'Payment rolled back',
  reverted: 'Payment failed',
  dropped: 'Payment dropped',
  expired: 'Order expired',
  cancelled: 'Order cancelled',
}

/**
 * The dialog of the whole purchase. All phases share one layout, so rows and buttons don't move.
 */
export function PurchaseDialog({ isOpen }: { isOpen: boolean }) {
  const { phase, order, outcome, close } = usePurchaseFlow()
  const isCancelled = phase === 'dropped' && outcome?.result === 'cancelled'
  const isPlanQueued = phase === 'active' && isQueued(order?.subscription?.startTime, Date.now())
  return (
    <Dialog
      open={isOpen}
      onOpenChange={(open) => {
        if (!open) close()
      }}
      title={isPlanQueued ? 'Plan paid' : isCancelled ? 'Payment cancelled' : titles[phase]}
      {...(phase === 'active' ? { aside: <Badge tone="ok">{isPlanQueued ? 'Queued' : 'Active'}</Badge> } : {})}
      {...(phase === 'choose'
        ? { description: 'One payment gives you live alerts for a fixed time. Plans do not renew.' }
        : {})}
    >
      {phase === 'choose' ? <PlanChoice /> : <PurchaseBody />}
    </Dialog>
  )
}

function PurchaseBody() {
  const { purchase, order, terms, obstacle, phase } = usePurchaseFlow()
  const plan = getPlan(order?.planType ?? purchase.planId ?? '24h')
  const priceWei = order === null ? getCouponPrice(purchase, plan.id) : BigInt(order.priceWei)
  const isReduced = priceWei !== null && priceWei < plan.priceWei
  return (
    <>
      {phase === 'confirm' && obstacle?.kind === 'token' && (
        <p role="status" className="mb-4 border-l-2 border-medium pl-3 text-body text-pretty">
          {`${obstacle.message}.`}
        </p>
      )}
      <div className="flex items-start justify-between gap-4">
        <div>
          <p className="text-body font-semibold">{plan.name}</p>
          <p className="text-base text-2">{plan.hours} hours of live alerts</p>
        </div>
        <p className="whitespace-nowrap">
          {isReduced && <ListPrice price={plan.price} />}
          <span className="text-number">{formatIto(priceWei ?? plan.priceWei)}</span>{' '}
          <span className="ml-1 text-base text-2">ITO</span>
        </p>
      </div>
      <CountdownCells hours={plan.hours} className="my-3" />
      {phase === 'confirm' && order === null && <CouponField />}
      {terms?.amountWei !== 0n && (
        <>
          <PurchaseFacts />
          <div className="mt-3">
            <PurchaseSteps />
          </div>
        </>
      )}
      <PurchaseActions />
    </>
  )
}

function ListPrice({ price }: { price: number }) {
  return (
    <del className="mr-2 text-base text-2">
      <span className="sr-only">instead of </span>
      {price} ITO
    </del>
  )
}

/** The three plans as a list, for the purchase dialog. */
function PlanChoice() {
  const { purchase, dispatch } = usePurchaseFlow()
  const { balanceWei, status, openConnect } = useWallet()
  const subscription = useRunningSubscription()
  const selectPlan = useSelectPlan(({ id }) => dispatch({ type: 'opened', planId: id }))
  return (
    <>
      {subscription !== null && <p className="mb-4 text-base text-2">You already have an active subscription</p>}
      <ul className="divide-y divide-line-1 border-b border-line-1">
        {plans.map((plan) => {
          const reducedPriceWei = getCouponPrice(purchase, plan.id)
          // If the coupon reduces the price to 0, the user needs no wallet.
          const choose = () =>
            reducedPriceWei === 0n ? dispatch({ type: 'opened', planId: plan.id }) : void selectPlan(plan)
          return (
            <li key={plan.id} className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 py-3 first:pt-0">
              <div>
                <p className="text-body font-semibold">{plan.name}</p>
                <p className="text-base text-2">{plan.description}</p>
              </div>
              <p className="text-right whitespace-nowrap">
                {reducedPriceWei !== null && <ListPrice price={plan.price} />}
                <span className="text-number-sm">{formatIto(reducedPriceWei ?? plan.priceWei)}</span>{' '}
                <span className="ml-1 text-base text-2">ITO</span>
              </p>
              <CountdownCells hours={plan.hours} layout="small" className="mt-3 self-start" />
              <Button className="mt-2" onClick={choose}>
                Select Plan
              </Button>
            </li>
          )
        })}
      </ul>
      <CouponField />
      {status === 'disconnected' && (
        <p className="mt-4 flex items-center justify-between gap-4 text-base text-2">
          Wallet not connected
          <Button onClick={openConnect}>Connect Wallet</Button>
        </p>
      )}
      <p className="mt-4 flex justify-between text-base text-2">
        Your balance <Balance balanceWei={balanceWei} />
      </p>
    </>
  )
}

/** Costs and recipient before the payment; the purchased period after it. */
function PurchaseFacts() {
  const { order } = usePurchaseFlow()
  if (order?.status === 'paid' && order.subscription) {
    return <PurchasedFacts order={order} subscription={order.subscription} />
  }
  return <CostFacts />
}

function CostFacts() {
  const { terms, funds, order, phase, obstacle } = usePurchaseFlow()
  const { network, balanceWei } = useWallet()
  const balanceBeforeWei = funds?.balanceWei ?? (terms?.chainId === network.id ? balanceWei : null)
  const isPayableNow = terms !== null && (order === null || isPayable(order))
  const balanceAfterWei =
    isPayableNow && balanceBeforeWei !== null && balanceBeforeWei >= terms.amountWei
      ? balanceBeforeWei - terms.amountWei
      : null
  const missingWei =
    obstacle?.kind === 'token' && terms !== null && balanceBeforeWei !== null
      ? terms.amountWei - balanceBeforeWei
      : null
  const feeWei = funds?.feeWei ?? null
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
            <Balance balanceWei={balanceBeforeWei} />
          </KeyValue>
          {missingWei === null ? (
            <KeyValue label="After paying">
              {balanceAfterWei === null ? '—' : `${formatAmount(balanceAfterWei, 2, 'down')} ITO`}
            </KeyValue>
          ) : (
            <KeyValue label="Missing">
              <span className="font-semibold">{formatIto(missingWei)} ITO</span>
            </KeyValue>
          )}
        </>
      )}
      <KeyValue label="Network fee, about">{feeWei === null ? '—' : `${formatFee(feeWei)} ${terms?.coin}`}</KeyValue>
      <FullAddress label="Treasury" copyLabel="Copy treasury address" value={terms?.treasury ?? null} />
      {terms?.path === 'approve' && (
        <>
          <FullAddress label="Spender" copyLabel="Copy spender address" value={terms.spender} />
          <KeyValue label="Allowance left">{formatIto(funds?.allowanceWei ?? 0n)} ITO</KeyValue>
        </>
      )}
    </KeyValueList>
  )
}

/**
 * Height of a row with a label and an address, which wraps to two lines on the narrowest phones.
 */
const twoLineClasses = 'h-[52px] max-[374px]:h-[68px]'

/** Shows the address in full, so that the user can compare it with the wallet's request. */
function FullAddress({ label, copyLabel, value }: { label: string; copyLabel: string; value: string | null }) {
  return (
    <div className={`${twoLineClasses} py-1`}>
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
  const timeLeft = useNow((nowMs) => formatTimeLeft(isQueued(startTime, nowMs) ? startTime : endTime, nowMs))
  const isPlanQueued = useNow((nowMs) => isQueued(startTime, nowMs))
  const hash = order.transactionHash ?? subscription.transactionHash ?? ''
  return (
    <KeyValueList>
      <KeyValue label={isPlanQueued ? 'Starts in' : 'Time left'}>{timeLeft}</KeyValue>
      <KeyValue label="Ends">
        <Time at={endTime} show="date" />
      </KeyValue>
      <KeyValue label="Paid">{formatIto(BigInt(order.paidWei))} ITO</KeyValue>
      {/* Same height as the treasury row before the payment, so that the rows below don't move. */}
      <KeyValue label="Transaction" className={twoLineClasses}>
        <Transaction hash={hash} chainId={order.chainId} />
      </KeyValue>
    </KeyValueList>
  )
}
