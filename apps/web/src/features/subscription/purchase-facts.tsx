import { useQuery } from '@tanstack/react-query'
import { getPlan, type Subscription } from '@tocsin/protocol'
import { queries } from '../../queries.ts'
import { Address } from '../../ui/address.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { KeyValue, KeyValueList } from '../../ui/key-value.tsx'
import { useNow } from '../../ui/now.ts'
import { Time } from '../../ui/time.tsx'
import { formatAmount, formatFee } from '../../wallet/amount.ts'
import { useWallet } from '../../wallet/wallet.tsx'
import { useNetworkFee } from './network-fee.ts'
import { usePurchase } from './purchase-provider.tsx'
import { timeLeftWords } from './subscription-time.ts'

/** What the purchase costs and where it goes; afterwards what was bought. */
export function PurchaseFacts() {
  const { purchase } = usePurchase()
  if (purchase.subscription) return <BoughtFacts subscription={purchase.subscription} />
  return <CostFacts />
}

function CostFacts() {
  const { purchase } = usePurchase()
  const { balanceWei, network } = useWallet()
  const { data: config } = useQuery(queries.config)
  const { priceWei } = getPlan(purchase.planId)
  const fee = useNetworkFee(priceWei)
  const isPaid = purchase.hash !== null
  const before = balanceWei ?? 0n
  return (
    <KeyValueList>
      <KeyValue label="Your balance">{formatAmount(before, 2)} ITO</KeyValue>
      <KeyValue label="After paying">
        {isPaid || before < priceWei ? '—' : `${formatAmount(before - priceWei, 2)} ITO`}
      </KeyValue>
      <KeyValue label="Network fee, about">{fee === null ? '—' : `${formatFee(fee)} ${network.symbol}`}</KeyValue>
      <div className="h-[52px] py-1">
        <dt className="flex items-center justify-between text-base text-2">
          To the treasury
          {config && <CopyButton text={config.treasury} label="Copy treasury address" />}
        </dt>
        <dd className="text-data tracking-[-0.03em] wrap-anywhere">{config?.treasury ?? '—'}</dd>
      </div>
    </KeyValueList>
  )
}

function BoughtFacts({ subscription }: { subscription: Subscription }) {
  const { network } = useWallet()
  const left = useNow((nowMs) => timeLeftWords(subscription.endTime, nowMs))
  const { transactionHash, tokenAmount, endTime } = subscription
  const link = network.explorerUrl === null ? {} : { href: `${network.explorerUrl}/tx/${transactionHash}` }
  return (
    <KeyValueList>
      <KeyValue label="Time left">{left}</KeyValue>
      <KeyValue label="Ends">
        <Time at={endTime} show="date" />
      </KeyValue>
      <KeyValue label="Paid">{formatAmount(BigInt(tokenAmount), 0)} ITO</KeyValue>
      {/* As high as the treasury's two lines, so that nothing under it moves. */}
      <KeyValue label="Transaction" className="h-[52px]">
        <Address value={transactionHash} copy {...link} />
      </KeyValue>
    </KeyValueList>
  )
}
