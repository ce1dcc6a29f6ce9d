import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useUser } from '../../auth.tsx'
import { paths } from '../../paths.ts'
import { queries } from '../../queries.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { clockTime } from '../../ui/format-time.ts'
import { useNow } from '../../ui/now.ts'
import { useWallet } from '../../wallet/wallet.tsx'
import { useFlow } from './flow-context.ts'
import { isPayable } from './order-standing.ts'
import { offerWords, outOfPatience, tellOrder } from './order-words.ts'
import { formatIto, type PurchasePhase } from './purchase.ts'
import { readAsked } from './sent-payments.ts'
import { useIsOutOfPatience } from './use-patience.ts'

/** What has gone wrong makes people search for help, and meet others who offer it. */
const troubledPhases: readonly PurchasePhase[] = ['underpaid', 'reorganised', 'reverted', 'dropped']

/** What is true now, in a sentence or two. */
export function Sentence() {
  const { phase, purchase, order } = useFlow()
  const { note } = purchase
  if (note !== null && (order === null || isPayable(order))) {
    return (
      <>
        <p>{note.message}</p>
        {note.technical !== null && <TechnicalDetails text={note.technical} />}
        {(note.tone === 'failed' || troubledPhases.includes(phase)) && <SafetyNote />}
      </>
    )
  }
  return (
    <>
      <p>
        <StateSentence />
      </p>
      <Obstacle />
      {troubledPhases.includes(phase) && <SafetyNote />}
    </>
  )
}

/**
 * Where the sentence is about what happened, what stands against paying again has one of its own.
 */
function Obstacle() {
  const { phase, obstacle } = useFlow()
  const isSaid = phase !== 'underpaid' && phase !== 'reverted' && phase !== 'dropped'
  return obstacle === null || isSaid ? null : <p className="mt-1">{obstacle.sentence}</p>
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

function StateSentence() {
  const { phase, order, terms, followed } = useFlow()
  const { walletName } = useWallet()
  const isLate = useIsOutOfPatience()
  const told = useNow((nowMs) =>
    order && terms ? (tellOrder(order, { coin: terms.coin, followed, nowMs }) ?? '') : '',
  )
  const wallet = walletName ?? 'Your wallet'
  switch (phase) {
    case 'ordering':
      return 'Fixing price and treasury for you.'
    case 'proving':
      return `${wallet} asks for a signature. It shows that the wallet is yours and costs nothing.`
    case 'approving':
      return `A request is open in ${wallet}. Check that it approves ${formatIto(terms?.amountWei ?? 0n)} ITO, no more, for the address above.`
    case 'approved':
      return `Your approval is on its way. Once it is in a block, the server collects exactly ${formatIto(terms?.amountWei ?? 0n)} ITO.`
    case 'collecting':
      return `You have approved it. The server collects exactly ${formatIto(terms?.amountWei ?? 0n)} ITO now; you may close this page.`
    case 'wallet':
      return `A request is open in ${wallet}. Check that it says ${formatIto(terms?.amountWei ?? 0n)} ITO to the treasury above.`
    default:
      if (isLate && order?.transactionHash) return outOfPatience(order.transactionHash)
      return told === '' ? <Offer /> : told
  }
}

function Offer() {
  const { terms, purchase, order, obstacle } = useFlow()
  const { id: userId } = useUser()
  const { data } = useQuery(queries.orders)
  const planType = order?.planType ?? purchase.planId
  const words = useNow((nowMs) => (terms && planType ? offerWords({ ...terms, planType }, nowMs) : ''))
  if (obstacle !== null) return obstacle.sentence
  const asked = readAsked(userId)
  if (asked !== null && data?.items.some((item) => item.id === asked.orderId && isPayable(item))) {
    return `Your wallet was asked at ${clockTime(asked.askedAtMs).slice(0, 5)} UTC and has not answered. Look there first: reject what is still open, or, if you confirmed it, paste the transaction. ${words}`
  }
  return words
}

function TechnicalDetails({ text }: { text: string }) {
  return (
    <details className="mt-1 text-hint text-2">
      <summary className="cursor-pointer">Technical details</summary>
      <p className="mt-1 flex items-start gap-2">
        <code className="max-h-24 min-w-0 flex-1 overflow-auto text-data wrap-anywhere">{text}</code>
        <CopyButton text={text} label="Copy technical details" />
      </p>
    </details>
  )
}
