import { type AdminUserDetail, getPlan } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { CopyButton } from '../../ui/copy-button.tsx'
import { CountdownCells } from '../../ui/countdown-cells.tsx'
import { KeyValue, KeyValueList } from '../../ui/key-value.tsx'
import { useIsPhone } from '../../ui/media-query.ts'
import { shortenHex } from '../../ui/short-hex.ts'
import { Time } from '../../ui/time.tsx'
import { formatItoAmount } from './ito-amount.ts'
import { formatAccountType } from './role-texts.ts'
import { UserSection } from './user-section.tsx'
import { formatHours } from './user-texts.ts'

export function AccountFacts({ detail: { user, suspensionReason } }: { detail: AdminUserDetail }) {
  const { id, role, name, email, emailVerified, wallets, createdAt, lastSeenAt, suspendedAt, paidWei } = user
  return (
    <UserSection title="Account">
      <KeyValueList>
        <KeyValue label={<span className="whitespace-nowrap">User ID</span>}>
          <span className="inline-flex items-center gap-1">
            {id}
            <CopyButton text={id} label="Copy user ID" />
          </span>
        </KeyValue>
        <KeyValue label="Account type" plain>
          {formatAccountType(role)}
        </KeyValue>
        <KeyValue label="Name" plain>
          {name || '—'}
        </KeyValue>
        <KeyValue label="Email" plain>
          {email === null ? '—' : `${email}${emailVerified ? '' : ' (not verified)'}`}
        </KeyValue>
        <KeyValue label={wallets.length > 1 ? 'Wallets' : 'Wallet'}>
          {wallets.length === 0
            ? '—'
            : wallets.map((wallet) => (
                <span key={wallet} className="block">
                  {wallet}
                </span>
              ))}
        </KeyValue>
        <KeyValue label="Created">
          <Time at={createdAt} show="moment" />
        </KeyValue>
        <KeyValue label="Last seen">{lastSeenAt === null ? 'Never' : <Time at={lastSeenAt} show="moment" />}</KeyValue>
        {paidWei !== null && <KeyValue label="Total paid">{formatItoAmount(paidWei)}</KeyValue>}
        {suspendedAt !== null && (
          <KeyValue label="Suspended" plain>
            <Time at={suspendedAt} show="moment" />
            {suspensionReason !== null && <span className="block">{suspensionReason}</span>}
          </KeyValue>
        )}
      </KeyValueList>
    </UserSection>
  )
}

export function SubscriptionFacts({ detail: { user } }: { detail: AdminUserDetail }) {
  const subscription = user.activeSubscription
  const isPhone = useIsPhone()
  if (!subscription) {
    return (
      <UserSection title="Subscription">
        <p className="text-base text-2">No Subscription</p>
      </UserSection>
    )
  }
  const { planType, tokenAmount, startTime, endTime, transactionHash, extendedHours } = subscription
  const { name, hours } = getPlan(planType)
  const durationHours = (Date.parse(endTime) - Date.parse(startTime)) / HOUR_MS
  return (
    <UserSection title="Subscription">
      {durationHours <= hours && (
        <CountdownCells hours={hours} endsAt={endTime} layout={isPhone ? 'rows' : 'strip'} className="mb-2" />
      )}
      <KeyValueList>
        <KeyValue label="Plan" plain>
          {extendedHours === 0 ? name : `${name}, extended by ${formatHours(extendedHours)}`}
        </KeyValue>
        {tokenAmount !== null && <KeyValue label="Token amount">{`${formatItoAmount(tokenAmount)} tokens`}</KeyValue>}
        <KeyValue label="Start">
          <Time at={startTime} show="moment" />
        </KeyValue>
        <KeyValue label="Expiry">
          <Time at={endTime} show="moment" />
        </KeyValue>
        {tokenAmount !== null && (
          <KeyValue label="Transaction hash" plain={transactionHash === null}>
            {transactionHash === null ? (
              'Granted without a payment'
            ) : (
              <span title={transactionHash} className="inline-flex items-center gap-1">
                {shortenHex(transactionHash, 14, 8)}
                <CopyButton text={transactionHash} label="Copy transaction hash" />
              </span>
            )}
          </KeyValue>
        )}
      </KeyValueList>
    </UserSection>
  )
}
