import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { useUser } from '../../session/auth.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { formatDateTimeWithZone } from '../../ui/format-time.ts'
import { useNow } from '../../ui/now.ts'
import { useTimeStyle } from '../../ui/time-style.ts'
import { useWallet } from '../../wallet/wallet.tsx'
import { usePurchaseFlow } from './flow-context.ts'
import { describeOffer, describeOrder, formatSlowNotice } from './order-messages.ts'
import { isPayable } from './order-state.ts'
import type { PurchasePhase } from './purchase.ts'
import { formatIto } from './purchase.ts'
import { readPendingRequest } from './sent-payments.ts'
import { TokenSourceHint } from './token-source.tsx'
import { useIsConfirmationSlow } from './use-slow-confirmation.ts'

/** Phases that show a safety note, because scammers offer help to users with payment problems. */
const troubledPhases: readonly PurchasePhase[] = ['underpaid', 'reorganised', 'reverted', 'dropped']

/** The current state of the purchase in one or two sentences. */
export function PurchaseMessage() {
  const { phase, purchase, order } = usePurchaseFlow()
  const { note } = purchase
  if (note !== null && (order === null || isPayable(order))) {
    return (
      <>
        <p>{note.message}</p>
        {note.technical !== null && <TechnicalDetails text={note.technical} />}
        {note.tone === 'failed' && <PendingRequest />}
        {(note.tone === 'failed' || troubledPhases.includes(phase)) && <SafetyNote />}
      </>
    )
  }
  return (
    <>
      <p>
        <StateMessage />
      </p>
      <ObstacleMessage />
      {troubledPhases.includes(phase) && <SafetyNote />}
    </>
  )
}

/** Shows why the user can't pay again yet, in phases whose message describes an earlier payment. */
function ObstacleMessage() {
  const { phase, obstacle } = usePurchaseFlow()
  const isRetryPhase = phase === 'underpaid' || phase === 'reverted' || phase === 'dropped'
  return obstacle === null || !isRetryPhase ? null : <p className="mt-1">{obstacle.message}</p>
}

function SafetyNote() {
  return (
    <p className="mt-1 text-hint text-2">
      We never ask for your seed phrase. Support is only at{' '}
      <Link to={paths.contactSupport} className="link underline">
        Contact Support
      </Link>
      .
    </p>
  )
}

function StateMessage() {
  const { phase, order, terms, outcome } = usePurchaseFlow()
  const { walletName } = useWallet()
  const isSlow = useIsConfirmationSlow()
  const style = useTimeStyle()
  const orderMessage = useNow((nowMs) =>
    order && terms ? (describeOrder(order, { coin: terms.coin, outcome, nowMs, style }) ?? '') : '',
  )
  const wallet = walletName ?? 'Your wallet'
  switch (phase) {
    case 'ordering':
      return 'Creating your order with a fixed price.'
    case 'proving':
      return `${wallet} asks for a signature to verify that you own the wallet. Signing is free.`
    case 'approving':
      return `A request is open in ${wallet}. Check that it approves ${formatIto(terms?.amountWei ?? 0n)} ITO, no more, for the spender address above.`
    case 'approved':
      return `Your approval is on its way. Once it is in a block, the server collects exactly ${formatIto(terms?.amountWei ?? 0n)} ITO.`
    case 'collecting':
      return `Approved. The server now collects exactly ${formatIto(terms?.amountWei ?? 0n)} ITO. You may close this page.`
    case 'wallet':
      return `A request is open in ${wallet}. Check that it says ${formatIto(terms?.amountWei ?? 0n)} ITO to the treasury above.`
    default:
      if (isSlow && order?.transactionHash) return formatSlowNotice(order.transactionHash)
      return orderMessage === '' ? <Offer /> : orderMessage
  }
}

/** Warns about an earlier request whose result is unknown, so that the user does not pay twice. */
function PendingRequest() {
  const warning = usePendingWarning()
  return warning === null ? null : <p className="mt-1">{warning}</p>
}

function usePendingWarning(): string | null {
  const { id: userId } = useUser()
  const { data } = useQuery(queries.orders)
  const style = useTimeStyle()
  const pendingRequest = readPendingRequest(userId)
  if (pendingRequest === null || !data?.items.some((item) => item.id === pendingRequest.orderId && isPayable(item)))
    return null
  return `A payment request was sent to your wallet at ${formatDateTimeWithZone(pendingRequest.askedAtMs, style)}, and its result is unknown. Check your wallet first: reject the request if it is still open, or paste the transaction if you confirmed it.`
}

function Offer() {
  const { terms, purchase, order, obstacle } = usePurchaseFlow()
  const warning = usePendingWarning()
  const planType = order?.planType ?? purchase.planId
  const style = useTimeStyle()
  const offer = useNow((nowMs) => (terms && planType ? describeOffer({ ...terms, planType }, nowMs, style) : ''))
  // The top of the dialog already says that the balance is too low, so say only how to get ITO.
  if (obstacle?.kind === 'token') return <TokenSourceHint />
  if (obstacle !== null) return obstacle.message
  if (terms?.amountWei === 0n)
    return 'The coupon pays the full price. You do not need a wallet, and no transaction is sent.'
  return warning === null ? offer : `${warning} ${offer}`
}

function TechnicalDetails({ text }: { text: string }) {
  return (
    <details className="mt-1 text-hint text-2">
      <summary className="touch-target w-fit cursor-pointer">Technical details</summary>
      <p className="mt-1 flex items-start gap-2">
        <code className="max-h-24 min-w-0 flex-1 overflow-auto text-data wrap-anywhere">{text}</code>
        <CopyButton text={text} label="Copy technical details" />
      </p>
    </details>
  )
}
