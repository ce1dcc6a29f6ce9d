import type { ReactNode } from 'react'
import { type Around, inLanguage } from './language.ts'

const en = {
  pasteTransaction: {
    transaction: 'Transaction',
    hexOrLink: '0x and 64 digits, or its link at a block explorer. It has to come from your wallet.',
    back: 'Back',
    looking: 'Looking…',
    lookForIt: 'Look for it',
    failedToCreateSubscription: 'Failed to create subscription',
  },
  planChoice: {
    youAlreadyHaveAnActive: 'You already have an active subscription',
    selectPlan: 'Select Plan',
    walletNotConnected: 'Wallet not connected',
    connectWallet: 'Connect Wallet',
    yourBalance: ({ balance }: { balance: ReactNode }) => <>Your balance {balance}</>,
  },
  purchaseActions: {
    iPaidPasteTheTransaction: 'I paid: paste the transaction',
    ordering: 'Ordering…',
    waitingForYourSignature: 'Waiting for your signature…',
    waitingForYourWallet: 'Waiting for your wallet…',
    waitingForABlock: 'Waiting for a block…',
    waitingForTheServer: 'Waiting for the server…',
    waitingForBlockOf: ({ block, required }: { block: number; required: number }) =>
      `Waiting for block ${block} of ${required}…`,
    waitingForTheNetwork: 'Waiting for the network…',
    openDashboard: 'Open dashboard',
    orderAgain: 'Order again',
    sendItoMore: ({ amount }: { amount: string }) => `Send ${amount} ITO more`,
    tryAgain: 'Try again',
    payIto: ({ amount }: { amount: string }) => `Pay ${amount} ITO`,
    connectWallet: 'Connect Wallet',
    switchTo: ({ chainName }: { chainName: string | undefined }) => `Switch to ${chainName}`,
    notEnoughIto: 'Not enough ITO',
    notEnoughForTheFee: ({ coin }: { coin: string | undefined }) => `Not enough ${coin} for the fee`,
    chooseAnotherAccount: 'Choose another account',
    proveWalletAndPay: ({ amount }: { amount: string }) => `Prove wallet and pay ${amount} ITO`,
    stopWaiting: 'Stop waiting',
    stopWatching: 'Stop watching',
    chooseAnotherPlan: 'Choose another plan',
    cancel: 'Cancel',
    close: 'Close',
    addItoToWallet: 'Add ITO to wallet',
  },
  purchaseDialog: {
    subscribeToInsights: 'Subscribe to Insights',
    confirmPurchase: 'Confirm purchase',
    proveThisWallet: 'Prove this wallet',
    approveInYourWallet: 'Approve in your wallet',
    approvalSent: 'Approval sent',
    approved: 'Approved',
    confirmInYourWallet: 'Confirm in your wallet',
    paymentSent: 'Payment sent',
    paymentInABlock: 'Payment in a block',
    subscriptionActive: 'Subscription active',
    paymentIncomplete: 'Payment incomplete',
    paymentRolledBack: 'Payment rolled back',
    paymentFailed: 'Payment failed',
    paymentDropped: 'Payment dropped',
    orderExpired: 'Order expired',
    orderGivenUp: 'Order given up',
    planPaid: 'Plan paid',
    paymentCancelled: 'Payment cancelled',
    queued: 'Queued',
    active: 'Active',
    onePaymentOpensLiveAlerts: 'One payment opens live alerts for a fixed time. Nothing renews.',
    hoursOfLiveAlerts: ({ hours }: { hours: number }) => `${hours} hours of live alerts`,
  },
  purchaseFailure: {
    failedToCreateUser: 'Failed to create user',
    tokenTransferFailed: 'Token transfer failed',
    failedToCreateSubscription: 'Failed to create subscription',
    withReason: ({ failed, reason }: { failed: string; reason: string }) => `${failed}: ${reason}`,
  },
  purchaseFacts: {
    arrived: 'Arrived',
    ofIto: ({ paid, price }: { paid: string; price: string }) => `${paid} of ${price} ITO`,
    stillToSend: 'Still to send',
    yourBalance: 'Your balance',
    afterPaying: 'After paying',
    networkFeeAbout: 'Network fee, about',
    toTheTreasury: 'To the treasury',
    copyTreasuryAddress: 'Copy treasury address',
    approvedFor: 'Approved for',
    copySpenderAddress: 'Copy spender address',
    allowanceLeft: 'Allowance left',
    startsIn: 'Starts in',
    timeLeft: 'Time left',
    ends: 'Ends',
    paid: 'Paid',
    transaction: 'Transaction',
  },
  purchaseSentence: {
    weNeverAsk: ({ contactSupport }: { contactSupport: Around }) => (
      <>We never ask for your seed phrase. Support is only at {contactSupport('Contact Support')}.</>
    ),
    yourWallet: 'Your wallet',
    fixingPriceAndTreasury: 'Fixing price and treasury for you.',
    asksForASignature: ({ wallet }: { wallet: string }) =>
      `${wallet} asks for a signature. It shows that the wallet is yours and costs nothing.`,
    checkTheApproval: ({ wallet, amount }: { wallet: string; amount: string }) =>
      `A request is open in ${wallet}. Check that it approves ${amount} ITO, no more, for the address above.`,
    yourApproval: ({ amount }: { amount: string }) =>
      `Your approval is on its way. Once it is in a block, the server collects exactly ${amount} ITO.`,
    youHaveApproved: ({ amount }: { amount: string }) =>
      `You have approved it. The server collects exactly ${amount} ITO now; you may close this page.`,
    checkTheTransfer: ({ wallet, amount }: { wallet: string; amount: string }) =>
      `A request is open in ${wallet}. Check that it says ${amount} ITO to the treasury above.`,
    yourWalletWasAsked: ({ askedAtMs, words }: { askedAtMs: string; words: string }) =>
      `Your wallet was asked at ${askedAtMs} UTC and has not answered. Look there first: reject what is still open, or, if you confirmed it, paste the transaction. ${words}`,
    technicalDetails: 'Technical details',
    copyTechnicalDetails: 'Copy technical details',
  },
  purchaseSteps: {
    proveThisWallet: 'Prove this wallet',
    approveInWallet: 'Approve in wallet',
    confirmInWallet: 'Confirm in wallet',
    sentToTheNetwork: 'Sent to the network',
    inABlock: 'In a block',
    active: 'Active',
    done: ', done',
    stopped: ', stopped',
  },
  transactionInput: {
    transactionIs0xAnd64: 'A transaction is 0x and 64 hexadecimal digits, or a block explorer’s link to it.',
    pasteTheTransactionFirst: ({ wanted }: { wanted: string }) => `Paste the transaction first. ${wanted}`,
    thisIsAnAddress: ({ wanted }: { wanted: string }) => `This is an address. ${wanted}`,
    thisIsNoTransaction: ({ wanted }: { wanted: string }) => `This is not a transaction. ${wanted}`,
  },
  usePayment: {
    subscriptionFailed: 'Subscription Failed',
    chooseAPlanFirst: 'Choose a plan first.',
    walletNotConnected: 'Wallet not connected',
    yourWalletCant: ({ amount, chainName }: { amount: string; chainName: string }) =>
      `Your wallet can’t do this step. Do it by hand: send exactly ${amount} ITO on ${chainName} to the treasury above, then paste the transaction below.`,
    yourWalletChangedToAnother: 'Your wallet changed to another account in the meantime. Nothing was sent.',
    anotherTabOfThisBrowser:
      'Another tab of this browser is asking your wallet. Continue there, or stop waiting there first.',
    termsHaveChangedMeanwhile:
      'The terms have changed in the meantime: look at them again before you pay. Nothing was sent.',
    youCancelledTheApproval: 'You cancelled the approval in your wallet. Nothing was sent.',
    networkRejectedTheApproval:
      'The network rejected the approval. No ITO left your wallet; only the network fee was spent.',
    weStoppedWaiting:
      'We stopped waiting for your wallet. Reject what is still open there before you try again; if you confirm it after all, it counts.',
  },
}

export const purchaseTexts = inLanguage({ en })
