import type { ReceiptStatement } from '@tocsin/proof'
import { proofTexts } from '../../texts/proof.tsx'
import { Address } from '../../ui/address.tsx'
import { KeyValue, KeyValueList } from '../../ui/key-value.tsx'
import { Time } from '../../ui/time.tsx'
import { formatAmount } from '../../wallet/amount.ts'

const texts = proofTexts.receiptFacts

/** The unverified content of a receipt. */
export function ReceiptFacts({ statement }: { statement: ReceiptStatement }) {
  const { plan, startsAt, endsAt, payments, treasury } = statement
  return (
    <KeyValueList className="w-full max-w-[520px] border-y border-line-1">
      <KeyValue label={texts.plan}>{plan}</KeyValue>
      <KeyValue label={texts.from}>
        <Time at={startsAt} />
      </KeyValue>
      <KeyValue label={texts.to}>
        <Time at={endsAt} />
      </KeyValue>
      {payments.map(({ transactionHash, logIndex, amountWei, payer }) => (
        <KeyValue
          key={`${transactionHash} ${logIndex}`}
          label={texts.itoBy({ amount: formatAmount(BigInt(amountWei), 2) })}
        >
          <Address value={payer} copy />
        </KeyValue>
      ))}
      <KeyValue label={texts.toTheTreasury}>
        <Address value={treasury} copy />
      </KeyValue>
    </KeyValueList>
  )
}
