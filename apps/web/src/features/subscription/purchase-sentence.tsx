import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useUser } from '../../auth.tsx'
import { paths } from '../../paths.ts'
import { queries } from '../../queries.ts'
import { purchaseTexts } from '../../texts/purchase.tsx'
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

const texts = purchaseTexts.purchaseSentence

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

/** Where the sentence is about what happened, what stands against paying again has one of its own. */
function Obstacle() {
  const { phase, obstacle } = useFlow()
  const isSaid = phase !== 'underpaid' && phase !== 'reverted' && phase !== 'dropped'
  return obstacle === null || isSaid ? null : <p className="mt-1">{obstacle.sentence}</p>
}

function SafetyNote() {
  return (
    <p className="mt-1 text-hint text-2">
      {texts.weNeverAsk({
        contactSupport: (words) => (
          <Link to={paths.contactSupport} className="link underline">
            {words}
          </Link>
        ),
      })}
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
  const wallet = walletName ?? texts.yourWallet
  switch (phase) {
    case 'ordering':
      return texts.fixingPriceAndTreasury
    case 'proving':
      return texts.asksForASignature({ wallet })
    case 'approving':
      return texts.checkTheApproval({ wallet, amount: formatIto(terms?.amountWei ?? 0n) })
    case 'approved':
      return texts.yourApproval({ amount: formatIto(terms?.amountWei ?? 0n) })
    case 'collecting':
      return texts.youHaveApproved({ amount: formatIto(terms?.amountWei ?? 0n) })
    case 'wallet':
      return texts.checkTheTransfer({ wallet, amount: formatIto(terms?.amountWei ?? 0n) })
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
    return texts.yourWalletWasAsked({ askedAtMs: clockTime(asked.askedAtMs).slice(0, 5), words })
  }
  return words
}

function TechnicalDetails({ text }: { text: string }) {
  return (
    <details className="mt-1 text-hint text-2">
      <summary className="cursor-pointer">{texts.technicalDetails}</summary>
      <p className="mt-1 flex items-start gap-2">
        <code className="max-h-24 min-w-0 flex-1 overflow-auto text-data wrap-anywhere">{text}</code>
        <CopyButton text={text} label={texts.copyTechnicalDetails} />
      </p>
    </details>
  )
}
