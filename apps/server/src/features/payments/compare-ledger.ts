import type { Reconciliation } from '@tocsin/protocol'

interface Entry {
  txHash: string
  logIndex: number
  amountWei: bigint
}

type Difference = Reconciliation['differences'][number]

/**
 * Lists entries that exist on one side only or differ in amount. The ledger numbers logs within
 * their transaction and the chain numbers them within their block. So the transfers of a
 * transaction are paired by their order, which is the same on both sides.
 */
export function compareLedger(ledger: readonly Entry[], chain: readonly Entry[]): Difference[] {
  const recorded = groupByTransaction(ledger)
  const shown = groupByTransaction(chain)
  return [...new Set([...recorded.keys(), ...shown.keys()])].flatMap((txHash) =>
    compareTransaction(txHash, recorded.get(txHash) ?? [], shown.get(txHash) ?? []),
  )
}

function groupByTransaction(entries: readonly Entry[]): Map<string, Entry[]> {
  const grouped = new Map<string, Entry[]>()
  for (const entry of [...entries].sort((a, b) => a.logIndex - b.logIndex)) {
    grouped.set(entry.txHash, [...(grouped.get(entry.txHash) ?? []), entry])
  }
  return grouped
}

function compareTransaction(transactionHash: string, ledger: readonly Entry[], chain: readonly Entry[]): Difference[] {
  if (ledger.length === chain.length) {
    return ledger.flatMap((entry, index) => {
      const other = chain[index]
      if (!other || other.amountWei === entry.amountWei) return []
      return [createDifference('other_amount', transactionHash, entry, other)]
    })
  }
  // The counts differ, so pair entries by amount and report the rest.
  const unpaired = [...chain]
  const missingRows = ledger.filter(({ amountWei }) => {
    const at = unpaired.findIndex((other) => other.amountWei === amountWei)
    if (at >= 0) unpaired.splice(at, 1)
    return at < 0
  })
  return [
    ...missingRows.map((entry) => createDifference('not_on_chain', transactionHash, entry, null)),
    ...unpaired.map((entry) => createDifference('not_in_ledger', transactionHash, null, entry)),
  ]
}

function createDifference(
  kind: Difference['kind'],
  transactionHash: string,
  ledger: Entry | null,
  chain: Entry | null,
): Difference {
  return {
    kind,
    transactionHash,
    logIndex: ledger?.logIndex ?? null,
    ledgerWei: ledger?.amountWei.toString() ?? null,
    chainWei: chain?.amountWei.toString() ?? null,
  }
}
