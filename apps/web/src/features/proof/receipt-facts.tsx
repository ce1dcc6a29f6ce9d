import type { ReceiptStatement } from '@tocsin/proof'
import { Address } from '../../ui/address.tsx'
import { KeyValue, KeyValueList } from '../../ui/key-value.tsx'
import { Time } from '../../ui/time.tsx'
import { formatAmount } from '../../wallet/amount.ts'

/** The unverified content of a receipt. */
export function ReceiptFacts({ statement }: { statement: ReceiptStatement }) {
  const { plan, startsAt, endsAt, payments, treasury } = statement
  return (
    <KeyValueList className="w-full max-w-[520px] border-y border-line-1">
      <KeyValue label="Plan">{plan}</KeyValue>
      <KeyValue label="From">
        <Time at={startsAt} />
      </KeyValue>
      <KeyValue label="To">
        <Time at={endsAt} />
      </KeyValue>
      {payments.map(({ transactionHash, logIndex, amountWei, payer }) => (
        <KeyValue key={`${transactionHash} ${logIndex}`} label={`${formatAmount(BigInt(amountWei), 2)} ITO by`}>
          <Address value={payer} copy />
        </KeyValue>
      ))}
      <KeyValue label="To the treasury">
        <Address value={treasury} copy />
      </KeyValue>
    </KeyValueList>
  )
}
