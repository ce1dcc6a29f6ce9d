import { type AdminUserDetail, getPlan } from '@tocsin/protocol'
import { adminUsersTexts } from '../../texts/admin-users.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { CountdownCells } from '../../ui/countdown-cells.tsx'
import { KeyValue, KeyValueList } from '../../ui/key-value.tsx'
import { usePhone } from '../../ui/media-query.ts'
import { shortHex } from '../../ui/short-hex.ts'
import { ExactMoment } from './exact-moment.tsx'
import { itoAmount } from './ito-amount.ts'
import { UserSection } from './user-section.tsx'

const texts = adminUsersTexts.userFacts

const cellHours = [6, 24, 72]

export function AccountFacts({ detail: { user, suspensionReason } }: { detail: AdminUserDetail }) {
  const { id, isAdmin, name, email, emailVerified, wallets, createdAt, lastSeenAt, suspendedAt } = user
  return (
    <UserSection title={texts.account}>
      <KeyValueList>
        <KeyValue label={<span className="whitespace-nowrap">{texts.userId}</span>}>
          <span className="inline-flex items-center gap-1">
            {id}
            <CopyButton text={id} label={texts.copyUserId} />
          </span>
        </KeyValue>
        <KeyValue label={texts.accountType} plain>
          {isAdmin ? texts.administrator : texts.regularUser}
        </KeyValue>
        <KeyValue label={texts.name} plain>
          {name || '—'}
        </KeyValue>
        <KeyValue label={texts.email} plain>
          {email === null ? '—' : texts.emailEmailVerified({ email, emailVerified })}
        </KeyValue>
        <KeyValue label={wallets.length > 1 ? texts.wallets : texts.wallet}>
          {wallets.length === 0
            ? '—'
            : wallets.map((wallet) => (
                <span key={wallet} className="block">
                  {wallet}
                </span>
              ))}
        </KeyValue>
        <KeyValue label={texts.created}>
          <ExactMoment at={createdAt} />
        </KeyValue>
        <KeyValue label={texts.lastSeen}>
          {lastSeenAt === null ? texts.never : <ExactMoment at={lastSeenAt} />}
        </KeyValue>
        {suspendedAt !== null && (
          <KeyValue label={texts.suspended} plain>
            <ExactMoment at={suspendedAt} />
            {suspensionReason !== null && <span className="block">{suspensionReason}</span>}
          </KeyValue>
        )}
      </KeyValueList>
    </UserSection>
  )
}

export function SubscriptionFacts({ detail: { user } }: { detail: AdminUserDetail }) {
  const active = user.activeSubscription
  const phone = usePhone()
  if (!active) {
    return (
      <UserSection title={texts.subscription}>
        <p className="text-base text-2">{texts.noSubscription}</p>
      </UserSection>
    )
  }
  const { planType, tokenAmount, startTime, endTime, transactionHash, extendedHours } = active
  const { name, hours } = getPlan(planType)
  const lasts = (Date.parse(endTime) - Date.parse(startTime)) / 3_600_000
  return (
    <UserSection title={texts.subscription}>
      {cellHours.includes(hours) && lasts <= hours && (
        <CountdownCells hours={hours} endsAt={endTime} layout={phone ? 'rows' : 'strip'} className="mb-2" />
      )}
      <KeyValueList>
        <KeyValue label={texts.plan} plain>
          {extendedHours === 0 ? name : texts.planExtended({ plan: name, hours: extendedHours })}
        </KeyValue>
        <KeyValue label={texts.tokenAmount}>
          {texts.tokensTokenAmount({ tokenAmount: itoAmount(tokenAmount) })}
        </KeyValue>
        <KeyValue label={texts.start}>
          <ExactMoment at={startTime} />
        </KeyValue>
        <KeyValue label={texts.expiry}>
          <ExactMoment at={endTime} />
        </KeyValue>
        <KeyValue label={texts.transactionHash}>
          <span title={transactionHash} className="inline-flex items-center gap-1">
            {shortHex(transactionHash, 14, 8)}
            <CopyButton text={transactionHash} label={texts.copyTransactionHash} />
          </span>
        </KeyValue>
      </KeyValueList>
    </UserSection>
  )
}
