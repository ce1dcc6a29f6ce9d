import { inLanguage } from './language.ts'

const en = {
  network: {
    explorer: 'Explorer',
  },
  answerChallenge: {
    walletNotConnected: 'Wallet not connected',
    noAccountAnyMore: 'no account any more',
    message: ({ address, shown }: { address: string; shown: string }) =>
      `The message was for ${address}, but your wallet shows ${shown}. Try again with the account that you want.`,
  },
  connectDialog: {
    connectWallet: 'Connect Wallet',
    connectingShowsYourAddress: 'Connecting shows your address and balance. It moves nothing.',
    lookingForWallets: 'Looking for wallets...',
  },
  demoWalletWindow: {
    connectToThisSite: 'Connect to this site',
    signThisMessage: 'Sign this message',
    sendThisTransaction: 'Send this transaction',
    connect: 'Connect',
    sign: 'Sign',
    confirm: 'Confirm',
    demoWallet: 'Demo Wallet',
    playMoney: 'Play money',
    reject: 'Reject',
    signingCostsNothing: 'Signing costs nothing and sends nothing.',
    account: 'Account',
    from: 'From',
    to: 'To',
    tokenContract: 'Token contract',
    data: 'Data',
    chooseTheAccount: 'Choose the account that this site may see.',
    accountIndex: ({ index }: { index: number }) => `Account ${index}`,
  },
  engine: {
    failedToConnectWallet: 'Failed to connect wallet',
    noAccountsFound: 'No accounts found',
    yourWalletDidNotSign: 'Your wallet did not sign the message.',
    walletNotConnected: 'Wallet not connected',
    browserWallet: 'Browser wallet',
  },
  explainError: {
    youCancelledInYourWallet: 'You cancelled in your wallet. Nothing was sent.',
    thisSiteIsNotConnected: 'This site is not connected to that account. Connect again.',
    yourWalletCant: 'Your wallet can’t do this step.',
    yourWalletIsOfflineFor: ({ chain }: { chain: string }) => `Your wallet is offline for ${chain}.`,
    requestIsAlreadyOpen: 'A request is already open in your wallet. Open it to continue.',
    yourWallet: ({ chainName }: { chainName: string }) =>
      `Your wallet is not on ${chainName}. Switch it and try again. Nothing was sent.`,
    youDoNotHaveEnough: 'You do not have enough for the network fee.',
    networkRejectedThePayment: 'The network rejected the payment. No ITO left your wallet.',
  },
  switchNetwork: {
    failedToSwitchTo: ({ chain }: { chain: string }) => `Failed to switch to ${chain}`,
    failedToAdd: ({ chain }: { chain: string }) => `Failed to add ${chain} to the wallet`,
  },
  tokenChain: {
    contractNotInitialized: 'Contract not initialized',
    transactionFailed: 'Transaction failed',
  },
  walletAnswers: {
    noAccountsFound: 'No accounts found',
    unusableAnswer: 'Your wallet gave an answer that can’t be used. Nothing was sent.',
    noSignature: 'Your wallet did not return a signature.',
    noTransaction: 'Your wallet returned no transaction. Look there before you try again.',
    didNotAnswer: 'Your wallet did not answer. Open it, close the request that waits there, and try again.',
    answeredWith: ({ method, answer }: { method: string; answer: string }) => `${method} was answered with ${answer}`,
    noAnswerTo: ({ method }: { method: string }) => `${method} was not answered`,
  },
  walletChallenge: {
    weStoppedWaiting: 'We stopped waiting for your wallet. Nothing was sent.',
    yourWalletDidNotAnswer: 'Your wallet did not answer. Open it, close the request that waits there, and try again.',
    chooseAnAccount: 'Choose an account in your wallet.',
    signTheMessage: 'Sign the message in your wallet. It is free and sends nothing.',
    checkingTheSignature: 'Checking the signature.',
    lookingForWallets: 'Looking for wallets...',
    continueWith: ({ connected }: { connected: string }) => `Continue with ${connected}`,
    orConnectAnotherAccount: 'Or connect another account',
    stopWaiting: 'Stop waiting',
    signatureWasNotAccepted: 'The signature was not accepted.',
  },
  walletList: {
    askingTheRelay: 'Asking the relay…',
    confirmInYourWallet: 'Confirm in your wallet…',
    lastUsed: 'Last used',
    tocsinDidNotAnswer: 'Tocsin did not answer, so it could not look for wallets.',
    reloadThisPage: 'Reload this page',
    noBrowserWalletIsInstalled: 'No browser wallet is installed.',
    iHaveNoWallet: 'I have no wallet',
    walletIsABrowserExtension:
      'A wallet is a browser extension that keeps your keys, such as MetaMask, Rabby or Brave Wallet. Install one from its maker’s own site, then reload this page. On a phone, open this site in the browser inside your wallet app.',
    weNeverAsk: 'We never ask for your seed phrase.',
  },
  pairingPanel: {
    askingTheRelay: 'Asking the relay…',
    scanItWithTheWallet: 'Scan it with the wallet on your phone, then agree there.',
    openAWallet: 'Open a wallet on this device',
    copyLink: 'Copy link',
    backToAllWallets: 'Back to all wallets',
    qrCodeForYourWallet: 'QR code for your wallet',
  },
  remoteWallet: {
    userDisconnected: 'User disconnected.',
    connectingWasStopped: 'Connecting was stopped. Nothing was sent.',
    walletconnectRelayCant:
      'The WalletConnect relay can’t be reached, so no wallet on another device can be asked. Try again, or use a wallet of this browser.',
  },
  announceRemoteWallet: {
    marketAnomalyAlerts: 'Market anomaly alerts',
  },
}

export const walletTexts = inLanguage({ en })
