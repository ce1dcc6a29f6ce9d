import type {
  AdminSystem,
  BusinessRevenue,
  FunnelStep,
  ItoRate,
  LeavingAccount,
  ProtectedChange,
  ResponseOf,
} from '@tocsin/protocol'
import { formatCount, formatCountOf } from '../../ui/count.ts'
import { formatDateTime, formatRelativeTime } from '../../ui/format-time.ts'
import { numberLocale } from '../../ui/locale.ts'
import { type TimeStyle, utcStyle } from '../../ui/time-style.ts'

const weiPerToken = 10n ** 18n

/**
 * Formats an amount in ITO with at most two decimals: "1,240" or "1,240.5". More decimals are cut
 * off, so use it only for figures that need not match an amount on the chain.
 */
export function formatRoundedIto(wei: string | bigint): string {
  return (Number((BigInt(wei) * 100n) / weiPerToken) / 100).toLocaleString(numberLocale, { maximumFractionDigits: 2 })
}

/** Converts an amount of ITO to the operator's currency at the operator's rate: "€521". */
export function formatInCurrency(wei: string, { currency, perIto }: ItoRate): string {
  const value = (Number((BigInt(wei) * 10_000n) / weiPerToken) / 10_000) * perIto
  return value.toLocaleString(numberLocale, { style: 'currency', currency, maximumFractionDigits: value < 100 ? 2 : 0 })
}

/** The change since the previous period: "+12.0%". Null if the previous period had no revenue. */
export function formatChangeAgainst(currentWei: string, previousWei: string): string | null {
  if (BigInt(previousWei) === 0n) return null
  const change = Number(((BigInt(currentWei) - BigInt(previousWei)) * 1_000n) / BigInt(previousWei)) / 10
  return `${change > 0 ? '+' : change < 0 ? '−' : ''}${Math.abs(change).toFixed(1)}%`
}

export const percent = (part: number, whole: number) => (whole === 0 ? '—' : `${((100 * part) / whole).toFixed(1)}%`)

export const funnelLabels: Record<FunnelStep, string> = {
  visits: 'Landing visits',
  signUps: 'Sign-ups by email',
  verified: 'New accounts',
  walletProved: 'Wallet linked',
  firstPurchase: 'First purchase',
  boughtAgain: 'Bought again',
}

/** Short forms for the column headings of a table. */
export const shortFunnelWords: Record<FunnelStep, string> = {
  visits: 'Visits',
  signUps: 'Sign-ups',
  verified: 'Accounts',
  walletProved: 'Wallet',
  firstPurchase: 'First',
  boughtAgain: 'Again',
}

/**
 * Describes the activity of an account at risk of churn: "never renewed, seen 19 h ago". The signs
 * of churn come first.
 */
export function formatChurnSigns(
  account: Pick<LeavingAccount, 'signs' | 'payments' | 'alertsRead' | 'lastSeenAt'>,
): string {
  const { signs, payments, alertsRead, lastSeenAt } = account
  const lastSeenText =
    lastSeenAt === null ? 'never seen' : `seen ${formatRelativeTime(Date.parse(lastSeenAt), Date.now()).toLowerCase()}`
  const signTexts: [boolean, string][] = [
    [signs.includes('neverRenewed'), payments > 1 ? `${formatCount(payments)} payments` : 'never renewed'],
    [signs.includes('notSeen'), lastSeenText],
    [signs.includes('nothingRead'), `${formatCountOf(alertsRead, 'alert')} read`],
  ]
  return signTexts
    .sort(([a], [b]) => Number(b) - Number(a))
    .map(([, words]) => words)
    .join(', ')
}

export interface BarPart {
  /** Plan type or chain id, depending on how the revenue is grouped. */
  key: string
  wei: bigint
}

/** Groups the revenue of each day by plan or chain and sums each group. */
export function createRevenueBars(days: BusinessRevenue['days'], by: 'plan' | 'chain', keys: readonly string[]) {
  return days.map(({ day, parts }) => ({
    day,
    parts: keys.map((key): BarPart => {
      const barParts = parts.filter((part) => (by === 'plan' ? part.planType : String(part.chainId)) === key)
      return { key, wei: barParts.reduce((sum, { sumWei }) => sum + BigInt(sumWei), 0n) }
    }),
  }))
}

export interface Attention {
  key: string
  title: string
  detail: string
  isSevere: boolean
  tab: 'users' | 'dashboard' | 'letters'
  view?: 'payments'
  /** Id of the account whose details the link opens. */
  user?: string
}

interface FurtherAttention {
  letters?: Pick<ResponseOf<'listLetters'>, 'openCount' | 'oldestOpenAt'> | undefined
  channels?: Pick<ResponseOf<'adminChannels'>, 'kinds'> | undefined
  changes?: readonly Pick<ProtectedChange, 'kind' | 'approvedBy' | 'endedAt'>[] | undefined
}

/** Replaces the ISO times in a message of the server by times in the time style of the page. */
export function formatMessageTimes(message: string, style: TimeStyle): string {
  return message.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (at) => formatDateTime(Date.parse(at), style))
}

/** Lists the problems that the operator has to act on. */
export function listAttention(
  { anchor, feed, payments, takeovers, staff }: AdminSystem,
  { letters: supportMessages, channels, changes = [] }: FurtherAttention = {},
  style = utcStyle,
): Attention[] {
  const items: Attention[] = []
  for (const { accountId, at } of takeovers) {
    const detail = `Second factor removed and address changed within an hour, ${formatDateTime(Date.parse(at), style)}`
    const title = 'Account may have been taken over'
    items.push({ key: accountId, title, detail, isSevere: true, tab: 'users', user: accountId })
  }
  for (const { accountId, ways } of staff.earlierAccess) {
    const detail = `${ways.join(', ')}: ask the account holder whether they added these. "tocsin doctor" on the server describes how to remove them.`
    const title = 'Staff account still has credentials from before its promotion'
    items.push({ key: `earlier-${accountId}`, title, detail, isSevere: true, tab: 'users', user: accountId })
  }
  if (!staff.needsFactor) {
    const detail = 'ADMIN_SECOND_FACTOR=false: a stolen password is enough to access the admin area'
    items.push({ key: 'factor', title: 'Staff need no second factor', detail, isSevere: true, tab: 'dashboard' })
  }
  if (payments.trouble !== null) {
    const detail = `Payments are not credited: ${formatMessageTimes(payments.trouble, style)}`
    items.push({ key: 'payments', title: 'Payment chain', detail, isSevere: true, tab: 'dashboard' })
  }
  if (anchor.reason !== null) {
    const detail = formatMessageTimes(anchor.reason, style)
    items.push({ key: 'anchor', title: 'Anchoring', detail, isSevere: true, tab: 'dashboard' })
  }
  if (payments.unmatchedOpen > 0) {
    const { unmatchedOpen: count } = payments
    const title = formatCountOf(count, 'unmatched payment')
    items.push({
      key: 'unmatched',
      title,
      detail: 'Payments that match no plan or purchase',
      isSevere: true,
      tab: 'users',
      view: 'payments',
    })
  }
  const waitingChanges = changes.filter(({ approvedBy, endedAt }) => approvedBy === null && endedAt === null)
  if (waitingChanges.length > 0) {
    const title =
      waitingChanges.length === 1
        ? '1 change waits for a second admin'
        : `${waitingChanges.length} changes wait for a second admin`
    const detail = `Two-admin rule: ${waitingChanges.map(({ kind }) => kind).join(', ')}`
    items.push({ key: 'changes', title, detail, isSevere: true, tab: 'dashboard' })
  }
  const failingCount = channels?.kinds.reduce((sum, { destinations }) => sum + destinations.failing, 0) ?? 0
  if (failingCount > 0) {
    const title = formatCountOf(failingCount, 'destination fails', 'destinations fail')
    const detail = 'Alerts do not reach them; their owners were notified'
    items.push({ key: 'channels', title, detail, isSevere: false, tab: 'dashboard' })
  }
  if (supportMessages && supportMessages.openCount > 0) {
    const { openCount: count, oldestOpenAt } = supportMessages
    const title = formatCountOf(count, 'open support message')
    const detail = oldestOpenAt === null ? '' : `The oldest is from ${formatDateTime(Date.parse(oldestOpenAt), style)}`
    items.push({ key: 'letters', title, detail, isSevere: false, tab: 'letters' })
  }
  if (feed.state === 'failed') {
    const detail = formatMessageTimes(feed.lastError ?? 'No connection, and no further attempt', style)
    items.push({ key: 'feed', title: 'Signal feed', detail, isSevere: true, tab: 'dashboard' })
  }
  if (anchor.isLow) {
    const { anchorsLeft } = anchor
    const anchorCount = anchorsLeft === null ? 'fewer than 20 anchors' : formatCountOf(anchorsLeft, 'anchor')
    const detail = `Enough for ${anchorCount}`
    items.push({ key: 'gas', title: 'Anchor wallet is low', detail, isSevere: false, tab: 'dashboard' })
  }
  return items
}
