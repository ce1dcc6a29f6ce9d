import type { ReactNode } from 'react'
import { formatCount } from '../ui/count.ts'
import { inLanguage } from './language.ts'

const en = {
  appShell: {
    marketIntelligence: 'Market Intelligence',
    account: 'Account',
    alertsOfTheLast24: 'Alerts of the last 24 hours',
  },
  confirmed: {
    youDidNotConfirm: 'You did not confirm that it is you. Nothing was changed.',
  },
  providerReturn: {
    signInFailed: 'Sign-in failed',
    providerDidNotConfirm:
      'The provider did not confirm who you are. Try again in a moment, or use another way to sign in.',
    notConfigured: 'Not configured',
    thisProvider: 'This provider is not configured here. Use your email and password, or a wallet.',
    cancelled: 'Cancelled',
    youCancelledAtTheProvider: 'You cancelled at the provider. Nothing was changed.',
    tookTooLong: 'Took too long',
    providersAnswerCameTooLate: 'The provider’s answer came too late, or was opened a second time. Start again.',
    accountHasThisEmail: 'An account has this email',
    logInToThatAccount:
      'Log in to that account first, then link the provider in its settings. We never join accounts by email alone.',
    emailNotVerified: 'Email not verified',
    providerHasNotVerified:
      'The provider has not verified your email address. Verify it there, or sign up here with email and password.',
    alreadyLinked: 'Already linked',
    thisSignInBelongs: 'This sign-in belongs to another account. Unlink it there first.',
    signInLinked: 'Sign-in Linked',
    youCanSign: 'You can sign in with it now.',
    confirmed: 'Confirmed',
    nowDoItAgain: 'Now do it again: for ten minutes you are not asked.',
  },
  headerSlots: {
    realTimeAlertsOff: 'Real-time alerts off',
    liveOnceWalletProved: 'Live once wallet proved',
    liveWithAPlan: 'Live with a plan',
    connectWallet: 'Connect Wallet',
    walletConnected: 'Wallet Connected',
    wrongNetwork: 'Wrong Network',
    switchTo: ({ network }: { network: string }) => `Switch to ${network}`,
    balanceItoRefresh: ({ balance }: { balance: string }) => `Balance ${balance} ITO, refresh`,
    balanceUnknownRefresh: 'Balance unknown, read it again',
    payment: 'Payment…',
    subscribe: 'Subscribe',
  },
  walletStrip: {
    wrongNetworkPleaseSwitch: ({ network }: { network: string }) =>
      `Wrong Network. Please switch to ${network} to use this application.`,
    switchTo: ({ network }: { network: string }) => `Switch to ${network}`,
    thisWalletIsConnected:
      'This wallet is connected, not yet proved. Connecting reads its address; one free signature shows that it is yours.',
    yourPlanBelongsTo: 'your plan belongs to',
    yourAccountKnows: 'your account knows',
    walletShows: ({ address, owned, owner }: { address: string; owned: string; owner: string }) =>
      `Wallet shows ${address}, ${owned} ${owner}.`,
    chooseAnotherAccount: 'Choose another account',
    walletCouldNotBeProved: 'The wallet could not be proved.',
    youCancelledInYourWallet: 'You cancelled in your wallet. Nothing was sent.',
    waitingForYourWallet: 'Waiting for your wallet…',
    proveThisWallet: 'Prove this wallet',
  },
  useOrderNews: {
    networkRejectedThePayment: 'The network rejected the payment.',
    networkRolledItBack: 'The network rolled it back.',
    subscriptionFailed: 'Subscription Failed',
    itStartsWhenTheRunning: 'It starts when the running plan ends.',
    liveAlertsAreOn: 'Live alerts are on.',
    planPaid: 'Plan Paid',
    subscriptionActive: 'Subscription Active',
  },
  guard: {
    checkingAdminAccess: 'Checking admin access...',
    checkingAuthentication: 'Checking authentication...',
    finishingLogout: 'Logging out...',
    logoutNotConfirmed: 'Your logout is not confirmed',
    sessionMayStillBeOpen:
      'Tocsin did not answer, so your session may still be open on the server. This page stays closed and keeps trying to log you out.',
    tocsinDoesNotAnswer: 'Tocsin does not answer',
    yourSessionAndYourPlan: 'Your session and your plan are kept. This page needs the server to show them.',
    tryAgain: 'Try again',
  },
  preferences: {
    serverDidNotAnswerNothing: 'The server did not answer. Nothing was changed.',
    settingNotSaved: 'Setting Not Saved',
  },
  navigation: {
    home: 'Home',
    dashboard: 'Dashboard',
    notifications: 'Notifications',
    history: 'History',
    verification: 'Verification',
    settings: 'Settings',
    main: 'Main',
    unread: 'unread',
  },
  status: {
    live: 'Live',
    delayed: 'Alerts are delayed',
    reconnecting: 'Reconnecting',
    offline: 'Offline',
    lastMessageAgo: ({ age }: { age: string }) => `last message ${age} ago`,
    entryCount: ({ entries }: { entries: number }) => `${formatCount(entries)} ${entries === 1 ? 'entry' : 'entries'}`,
    logAnchored: ({ at }: { at: ReactNode }) => <>Log anchored {at}</>,
    notYetAnchored: 'Not yet anchored',
    notConnected: 'Not connected',
    connected: 'Connected',
    disconnected: 'Disconnected',
    disconnectWallet: 'Disconnect wallet',
    welcomeName: ({ name }: { name: ReactNode }) => <>Welcome, {name}</>,
    logout: 'Logout',
  },
  pulseLine: {
    alertsOfTheLast24: ({ count }: { count: number }) => `Alerts of the last 24 hours: ${count}`,
    notConnected: 'Not connected',
  },
  skeleton: {
    loading: 'Loading',
  },
  networkWarning: {
    pleaseSwitchTo: ({ name }: { name: string | undefined }) => `Please switch to ${name} to use this application.`,
    wrongNetwork: 'Wrong Network',
  },
  walletActions: {
    ethereumProviderOrSigner: 'Ethereum provider or signer not available',
    walletConnected: 'Wallet Connected',
    failedToConnectWallet: 'Failed to connect wallet',
    connectionFailed: 'Connection Failed',
    walletDisconnected: 'Wallet Disconnected',
    yourWallet: 'Your wallet has been disconnected successfully',
    networkSwitched: 'Network Switched',
    successfullySwitchedTo: ({ chainName }: { chainName: string }) => `Successfully switched to ${chainName}.`,
    failedToSwitchTo: ({ chainName }: { chainName: string }) =>
      `Failed to switch to ${chainName}. Please try manually.`,
    networkSwitchFailed: 'Network Switch Failed',
    walletNotConnected: 'Wallet not connected',
  },
}

export const shellTexts = inLanguage({ en })
