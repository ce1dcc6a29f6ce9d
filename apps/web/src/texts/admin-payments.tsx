import type { ReactNode } from 'react'
import { inLanguage, numberLocale } from './language.ts'

const en = {
  paymentsView: {
    open: 'Open',
    resolved: 'Resolved',
    whichPayments: 'Which payments',
  },
  reconciliationPanel: {
    error: 'Error',
    checkCouldNotBeStarted: 'The check could not be started. Please try again.',
    reconciliation: 'Reconciliation',
    checking: 'Checking…',
    checkNow: 'Check now',
    loadingTheReconciliation: 'Loading the reconciliation',
    failedToFetch: 'Failed to fetch the reconciliation',
    checkedSoFar: 'Checked so far',
    ledger: 'Ledger',
    chainChainName: ({ chainName }: { chainName: string }) => `Chain (${chainName})`,
    blocks: 'Blocks',
    fromTo: ({ fromBlock, toBlock }: { fromBlock: string; toBlock: string }) => `${fromBlock} to ${toBlock}`,
    checkedCheckedAt: ({ checkedAt }: { checkedAt: ReactNode }) => <>Checked {checkedAt}</>,
    differences: 'Differences',
    firstOf: ({ count, differenceCount }: { count: number; differenceCount: number }) =>
      `The first ${count.toLocaleString(numberLocale)} of ${differenceCount.toLocaleString(numberLocale)}.`,
    readingTheChainDone: ({ progress }: { progress: number }) => `Reading the chain, ${progress}% done.`,
    notCheckedYetACheck:
      'Not checked yet. A check reads every transfer to the treasury from the chain and compares it with the ledger.',
    checkFailed: ({ failure }: { failure: string }) => `The check failed${failure}`,
    noDifferencesLedger: 'No differences: ledger and chain agree.',
    oneDifference: 'One difference.',
    differencesDifferenceCount: ({ differenceCount }: { differenceCount: number }) =>
      `${differenceCount.toLocaleString(numberLocale)} differences.`,
    transferCount: ({ count }: { count: number }) =>
      `${count.toLocaleString(numberLocale)} ${count === 1 ? 'transfer' : 'transfers'}`,
    onTheChain: 'On the chain, not in the ledger',
    inTheLedger: 'In the ledger, not on the chain',
    amountsDiffer: 'Amounts differ',
    nothing: 'nothing',
    ledgerAndChain: ({ ledger, chain }: { ledger: ReactNode; chain: ReactNode }) => (
      <>
        Ledger {ledger}, chain {chain}
      </>
    ),
  },
  resolveDialog: {
    creditAPlan: 'Credit a plan',
    refundNoted: 'Refund noted',
    ignore: 'Ignore',
    planStartsNowOrAfter:
      'The plan starts now, or when the one that runs ends. What was paid beyond its price stays in the treasury, and under Unusual purchases until you note what became of it.',
    youHaveSentTheTokens: 'Send the tokens back first: this only notes it. Tocsin sends nothing.',
    notTheirWallet: 'This account does not hold the wallet that paid. Make sure that the money was theirs.',
    itStaysInTheTreasury: 'It stays in the treasury. Nobody gets a plan for it.',
    paymentResolved: 'Payment Resolved',
    error: 'Error',
    failedToResolveThePayment: 'Failed to resolve the payment.',
    resolvePayment: 'Resolve payment',
    creditThePlan: 'Credit the plan',
    resolve: 'Resolve',
    resolving: 'Resolving…',
    from: 'From',
    transaction: 'Transaction',
    whatToDo: 'What to do',
    plan: 'Plan',
    reason: 'Reason',
    keptWithThePayment: 'Kept with the payment and in the audit trail.',
  },
  resolveForm: {
    chooseWhatWasDone: 'Choose what to do',
    sayWhyTheReason: 'Say why: the reason is kept in the audit trail',
    atMost500Characters: 'At most 500 characters',
    chooseTheAccountThatGets: 'Choose the account that gets the plan',
    unknownUser: 'Unknown User',
  },
  resolveOrderDialog: {
    refundNoted: 'Refund noted',
    setAside: 'Set aside',
    youHaveSentTheTokens: 'Send the tokens back first: this only notes it. Tocsin sends nothing.',
    itStays: 'It stays as it is. Nothing is sent, and the plan is not changed.',
    purchaseResolved: 'Purchase Resolved',
    error: 'Error',
    failedToResolveThePurchase: 'Failed to resolve the purchase.',
    resolvePurchase: 'Resolve purchase',
    received: ({ order, amount, excess }: { order: string; amount: string; excess: string | null }) =>
      `${order}. ${amount} received${excess === null ? '' : `, ${excess} too much`}.`,
    resolve: 'Resolve',
    resolving: 'Resolving…',
    from: 'From',
    whatWasDone: 'What was done',
    reason: 'Reason',
    keptWithThePurchase: 'Kept with the purchase and in the audit trail.',
  },
  resolvedNote: {
    at: ({ at }: { at: ReactNode }) => <>, {at}</>,
    byAt: ({ by, at }: { by: string; at: ReactNode }) => (
      <>
        , by {by}, {at}
      </>
    ),
    deletedAccount: 'a deleted account',
  },
  unmatchedList: {
    unmatchedPayments: 'Unmatched payments',
    showingNewestFirst: (shown: { hasNextPage: boolean; count: number }) => `${shownWords(shown)}, newest first`,
    loadingUnmatchedPayments: 'Loading unmatched payments',
    failedToFetchUnmatched: 'Failed to fetch unmatched payments',
    everyPaymentHasFound: 'No payment waits for a plan',
    oneThatReachesTheTreasury:
      'One that reaches the treasury and matches no plan appears here, to be resolved by hand.',
    nothingWasResolvedYet: 'Nothing has been resolved yet',
    whatYouResolveIsKept: 'What you resolve is kept here with its reason.',
  },
  unmatchedResolved: {
    creditedTo: ({ plan, account }: { plan: string; account: ReactNode }) => (
      <>
        Credited: {plan} to {account}
      </>
    ),
    foundItsAccount: ({ plan, account }: { plan: string; account: ReactNode }) => (
      <>
        Found its account by itself: {plan} to {account}
      </>
    ),
    claimedLater: ({ plan, account }: { plan: string; account: ReactNode }) => (
      <>
        Claimed later: {plan} to {account}
      </>
    ),
    deletedAccount: 'a deleted account',
    unknownUser: 'Unknown User',
    excess: ({ excess, became }: { excess: string; became: ReactNode }) => (
      <>
        {excess} above its price, {became}
      </>
    ),
    refundNoted: 'refund noted',
    setAside: 'set aside',
    nothingNotedYet: 'nothing noted yet',
  },
  unmatchedRow: {
    from: ', from ',
    time: 'Time',
    amount: 'Amount',
    payer: 'From',
    why: 'Why it waits',
    becameOfIt: 'What became of it',
    waited: ({ why }: { why: string }) => `Waited: ${why}`,
    transaction: 'Transaction',
    tx: 'Tx',
    unknownUser: 'Unknown User',
    resolveThePayment: ({ tokenAmount }: { tokenAmount: string }) => `Resolve the payment of ${tokenAmount} by hand`,
    resolveByHand: 'Resolve by hand',
  },
  unmatchedSummary: {
    allPayments: 'All payments',
    open: 'open',
  },
  unmatchedWords: {
    noAccountHoldsThisWallet: 'No account holds this wallet',
    tooOldToBeCredited: 'Too old to be credited by itself',
    tooLateForItsPurchase: 'Too late for its purchase',
    partOfAPurchase: 'Part of a purchase, the rest is missing',
    priceOf: ({ paid }: { paid: string }) => `The price of ${paid}`,
    shortOf: ({ short, next }: { short: string; next: string }) => `${short} short of ${next}`,
    overOverPaid: ({ over, paid }: { over: string; paid: string }) => `${over} more than ${paid} cost`,
    noPlanHasThisPrice: 'No plan has this price',
    credited: 'Credited',
    refundNoted: 'Refund noted',
    ignored: 'Ignored',
    foundItsAccountByItself: 'Found its account by itself',
    open: 'Open',
    creditSuggestedPlan: ({ suggestedPlan }: { suggestedPlan: string }) => `Credit ${suggestedPlan}`,
  },
  unusualOrderRow: {
    forOrder: ({ order }: { order: string }) => `for ${order}`,
    tooMuch: ({ excess }: { excess: string }) => `${excess} too much`,
    unknownUser: 'Unknown User',
    accountDeleted: 'Account deleted',
    resolveThePurchaseOf: ({ order }: { order: string }) => `Resolve the purchase of ${order}`,
    resolve: 'Resolve',
  },
  unusualOrders: {
    open: 'Open',
    resolved: 'Resolved',
    unusualPurchases: 'Unusual purchases',
    whichPurchases: 'Which purchases',
    showingNewestFirst: (shown: { hasNextPage: boolean; count: number }) => `${shownWords(shown)}, newest first`,
    whatWasUnusual: 'What was unusual',
    nobodyHasPaidTooMuch: 'No excess waits for you',
    nobodyHasPaidTooLate: 'No late payment waits for you',
    nobodyHasPaidInSeveral: 'No purchase in several transfers waits for you',
    planIsGrantedWhenMore:
      'Whatever was credited above its price, by itself or by hand, appears here with the excess, yours to send back. Once you have noted what became of it, it is under Resolved.',
    paymentAfterTheTimeLimit: 'A payment after the time limit of its purchase appears here, counted or not.',
    purchaseThatWasPaid: 'A purchase that was paid in more than one transfer appears here.',
    loadingUnusualPurchases: 'Loading unusual purchases',
    failedToFetchUnusual: 'Failed to fetch unusual purchases',
    nothingWasResolvedYet: 'Nothing has been resolved yet',
    whatYouResolveIsKept: 'What you resolve is kept here with its reason.',
  },
  orderWords: {
    overpaid: 'Overpaid',
    late: 'Late',
    severalTransfers: 'Several transfers',
    shortAtFirst: 'Short at first',
    refundNoted: 'Refund noted',
    setAside: 'Set aside',
    open: 'Open',
    notCounted: 'not counted',
    leftTheChain: 'left the chain',
  },
}

function shownWords({ hasNextPage, count }: { hasNextPage: boolean; count: number }): string {
  const shown = count.toLocaleString(numberLocale)
  if (hasNextPage) return `Showing ${shown}`
  return count === 1 ? `${shown} shown` : `All ${shown} shown`
}

export const adminPaymentsTexts = inLanguage({ en })
