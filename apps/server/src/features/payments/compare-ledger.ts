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
export function compareLedger(ledgerEntries: readonly Entry[], chainEntries: readonly Entry[]): Difference[] {
  const ledgerByTransaction = groupByTransaction(ledgerEntries)
  const chainByTransaction = groupByTransaction(chainEntries)
  return [...new Set([...ledgerByTransaction.keys(), ...chainByTransaction.keys()])].flatMap((txHash) =>
    compareTransaction(txHash, ledgerByTransaction.get(txHash) ?? [], chainByTransaction.get(txHash) ?? []),
  )
}

function groupByTransaction(entries: readonly Entry[]): Map<string, Entry[]> {
  const entriesByTransaction = new Map<string, Entry[]>()
  for (const entry of [...entries].sort((a, b) => a.logIndex - b.logIndex)) {
    entriesByTransaction.set(entry.txHash, [...(entriesByTransaction.get(entry.txHash) ?? []), entry])
  }
  return entriesByTransaction
}

function compareTransaction(transactionHash: string, ledger: readonly Entry[], chain: readonly Entry[]): Difference[] {
  if (ledger.length === chain.length) {
    return ledger.flatMap((entry, index) => {
      const chainEntry = chain[index]
      if (!chainEntry || chainEntry.amountWei === entry.amountWei) return []
      return [createDifference('other_amount', transactionHash, entry, chainEntry)]
    })
  }
  // The counts differ, so pair entries by amount and report the rest.
  const unpairedEntries = [...chain]
  const missingRows = ledger.filter(({ amountWei }) => {
    const chainIndex = unpairedEntries.findIndex((other) => other.amountWei === amountWei)
    if (chainIndex >= 0) unpairedEntries.splice(chainIndex, 1)
    return chainIndex < 0
  })
  return [
    ...missingRows.map((entry) => createDifference('not_on_chain', transactionHash, entry, null)),
    ...unpairedEntries.map((entry) => createDifference('not_in_ledger', transactionHash, null, entry)),
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
