import type { ReactNode } from 'react'
import { inLanguage } from './language.ts'

const en = {
  orderTable: {
    paymentsNewestFirst: 'Payments, newest first',
    orderedZone: ({ zone }: { zone: ReactNode }) => <>Ordered {zone}</>,
    plan: 'Plan',
    status: 'Status',
    periodZone: ({ zone }: { zone: ReactNode }) => <>Period {zone}</>,
    transaction: 'Transaction',
    sent: 'Sent',
  },
  paymentHistory: {
    payments: 'Payments',
    failedToFetchThePayments: 'Failed to fetch the payments',
    trying: 'Trying…',
    tryAgain: 'Try again',
    loadingPayments: 'Loading payments',
    nextPage: 'The next page could not be read.',
    thereAreOlderOnes: 'There are older ones.',
    loading: 'Loading…',
    loadMore: 'Load more',
    noPaymentsYet: 'No payments yet',
    seeThePlans: 'See the plans',
    plansThatYouOrder: 'Plans that you order will be listed here, with their transactions and periods.',
  },
  downloadReceipt: {
    receiptCouldNotBeFetched: 'The receipt could not be fetched. Please try again.',
    downloadFailed: 'Download Failed',
    receipt: 'Receipt',
  },
  orderWords: {
    weSaw: ({
      saw,
      price,
      missing,
      watchedUntil,
    }: {
      saw: string | undefined
      price: string | undefined
      missing: string | undefined
      watchedUntil: string
    }) =>
      `We saw ${saw} of ${price} ITO. Send ${missing} more, from the same wallet, or contact support. It can be topped up until ${watchedUntil}.`,
    networkRolledBackTheBlock:
      'The network rolled back the block that held your payment. It usually comes back by itself; we keep watching. Do not pay again.',
    feeOfWasSpent: ({ fee, coin }: { fee: string; coin: string }) => `the fee of ${fee} ${coin} was spent`,
    onlyTheNetworkFee: 'only the network fee was spent',
    networkRejectedThePayment: ({ fee }: { fee: string }) =>
      `The network rejected the payment. No ITO left your wallet; ${fee}.`,
    networkDropped:
      'The network dropped this transaction, or another one took its place. No ITO left your wallet with it. You can pay again.',
    timeToPayIsOver: ({ message }: { message: string | null }) =>
      `${message ?? 'The time to pay is over.'} Order again at today’s price.`,
    youHaveCancelledIt: 'You have cancelled it.',
    youCancelledThisPayment: 'You cancelled this payment in your wallet.',
    yourPayment: 'Your payment is on its way.',
    youMayCloseThisPage: 'You may close this page; the payment is found either way.',
    youSpedThisUpNow: ({ transactionHash }: { transactionHash: string }) =>
      `You sped this up. Now watching ${transactionHash}. `,
    moreConfirmations: ({ missing }: { missing: number }) =>
      `${missing} more ${missing === 1 ? 'confirmation' : 'confirmations'}.`,
    yourPlanStarts: ({ startTime }: { startTime: string }) =>
      `Your plan starts ${startTime}, when the running one ends.`,
    liveAlerts: 'Live alerts are on. The payment was read from the chain, not from your browser.',
    moreArrived: ({ paid, excess }: { paid: string; excess: string }) =>
      `${paid} ITO arrived, ${excess} more than the price: contact support to have it sent back.`,
    itArrivedAfterTheTime: 'It arrived after the time limit and was honoured.',
    itCameInSeveralTransfers: 'It came in several transfers.',
    notConfirmedAfter10Minutes: ({ hash }: { hash: string }) =>
      `Not confirmed after 10 minutes. It may still confirm; we keep watching ${hash}.`,
    notPaid: 'Not paid',
    sent: 'Sent',
    confirming: 'Confirming',
    paid: 'Paid',
    underpaid: 'Underpaid',
    expired: 'Expired',
    cancelled: 'Cancelled',
    failed: 'Failed',
    rolledBack: 'Rolled back',
    dropped: 'Dropped',
    itoShort: ({ missing }: { missing: string }) => `${missing} ITO short`,
    toppedUp: 'topped up',
    itoTooMuch: ({ excess }: { excess: string }) => `${excess} ITO too much`,
    afterItsTimeLimit: 'after its time limit',
    inSeveralTransfers: 'in several transfers',
    ofItoArrived: ({ paid, price }: { paid: string; price: string }) => `${paid} of ${price} ITO arrived`,
    oneTransferOfExactlyIto: ({ amount, chainName }: { amount: string; chainName: string }) =>
      `One transfer of exactly ${amount} ITO on ${chainName}.`,
    youApproveExactlyIto: ({ amount, chainName }: { amount: string; chainName: string }) =>
      `You approve exactly ${amount} ITO on ${chainName} and the server collects them, no more.`,
    thenWeWait: ({ how, ends }: { how: string; ends: string }) =>
      `${how} Then we wait for it to be in a block. Access ends ${ends} and does not renew.`,
  },
  purchase: {
    paymentsCantBeSeen: ({ chainName }: { chainName: string }) =>
      `Payments on ${chainName} can’t be seen right now, so nobody should pay. Try again later.`,
    walletNotConnected: 'Wallet not connected',
    wrongNetwork: 'Wrong Network',
    youAlreadyHaveAnActive: 'You already have an active subscription',
    restHasToCome: 'The rest has to come from the wallet that sent the first part. Choose it in your wallet.',
    insufficientItoTokens: ({ need, balance }: { need: string; balance: string }) =>
      `Insufficient ITO tokens. You need ${need} ITO but only have ${balance} ITO`,
    balanceCouldNotBeRead: 'Your balance could not be read: try again.',
    youNeedAbout: ({ fee, coin, have }: { fee: string; coin: string; have: string }) =>
      `You need about ${fee} ${coin} for the network fee; you have ${have}.`,
  },
  selectPlan: {
    subscriptionFailed: 'Subscription Failed',
  },
}

export const ordersTexts = inLanguage({ en })
