import type { ReactNode } from 'react'
import { type Around, inLanguage } from './language.ts'

const en = {
  documentationPage: {
    documentation: 'Documentation',
    quickStart: 'Quick start',
    makeAnAccountSignUp: ({ auth }: { auth: Around }) => (
      <>
        <strong>Make an account.</strong> {auth('Sign up')} with email and password and open the link that we email you,
        or sign in with a wallet or a configured provider.
      </>
    ),
    connectYourWallet: ({ dashboard }: { dashboard: Around }) => (
      <>
        <strong>Connect your wallet.</strong> On the {dashboard('dashboard')}, choose your browser wallet and sign one
        message. It proves that the wallet is yours and costs nothing.
      </>
    ),
    chooseAPlanYourWallet: (
      <>
        <strong>Choose a plan.</strong> Your wallet asks you to sign one transfer of ITO to the treasury, or, where the
        operator collects payments, to approve exactly the price. The plan starts by itself once the chain has confirmed
        it, also if you close the page.
      </>
    ),
    readAndVerifyAlertsAppear: (
      <>
        <strong>Read and verify.</strong> Alerts appear the moment they are issued. Open one and choose Check proof to
        check its signature, its path in the log and its anchor.
      </>
    ),
    waysToSignIn: 'Ways to sign in',
    emailAndPasswordAtLeast: (
      <>
        <strong>Email and password.</strong> At least 8 characters, and none of the common ones. “Remember me” keeps the
        session for 30 days; without it, it ends with the browser.
      </>
    ),
    googleAndLinkedin: (
      <>
        <strong>Google and LinkedIn</strong>, where the operator has configured them. To use one with an existing
        account, sign in first and link it in Settings.
      </>
    ),
    walletSignInWithEthereum: (
      <>
        <strong>Wallet.</strong> Sign-In with Ethereum (<abbr>EIP-4361</abbr>). The message names this site, your
        address and a code that works once, for ten minutes.
      </>
    ),
    forgotThePasswordAsk: ({ settings }: { settings: Around }) => (
      <>
        Forgot the password? Ask for a reset link on the login page; it works once, for one hour. Sessions are listed in{' '}
        {settings('Settings')}, where you can end each.
      </>
    ),
    wallet: 'Wallet',
    anyBrowserWallet: (
      <>
        Any browser wallet that announces itself (<abbr>EIP-6963</abbr>) works: MetaMask, Rabby, Coinbase Wallet and
        others; where the operator offers WalletConnect, a wallet on your phone too. Connecting shows your address and
        ITO balance. A signed message proves the wallet for your session; an address alone proves nothing.
      </>
    ),
    ifTheWallet: 'If the wallet is on another network, the page offers to switch.',
    walletBelongsToOneAccount: 'A wallet belongs to one account. Unlink it in Settings before you use it with another.',
    weNeverAsk: 'We never ask for your seed phrase or private key.',
    plans: 'Plans',
    plan: 'Plan',
    price: 'Price',
    perHour: 'Per hour',
    historyListsYourPayments: ({ history }: { history: Around }) => (
      <>
        {history('History')} lists your payments, each with its signed receipt. Nothing renews by itself. While a plan
        runs you can’t start another; a payment that arrives anyway is queued and starts when the running plan ends.
        Without a plan you see at once that an alert was issued, and its content when it becomes public.
      </>
    ),
    alertsAsYouWantThem: 'Alerts, as you want them',
    notificationsSearches: ({ notifications }: { notifications: Around }) => (
      <>
        {notifications('Notifications')} searches all alerts that you may read, by priority, asset, type and date, and
        exports what is selected as a table (CSV) or as alerts that can be verified (JSON).
      </>
    ),
    settingsSayHowTheyReach: ({ settings }: { settings: Around }) => (
      <>
        {settings('Settings')} decide how they reach you: live or not, with sound, as browser notifications, from which
        priority; and how pages show them: time zone, clock and density. They are the same on every device.
      </>
    ),
    whatArrivesIsChecked:
      'What arrives is checked in your browser first. An alert whose proof fails is marked, not announced.',
    keysPressOnAnySigned: ({ code }: { code: ReactNode }) => <>Keys: press {code} on any signed-in page.</>,
    checkingAnAlert: 'Checking an alert',
    sixChecksTheContentHashes:
      'Six checks: the content hashes to its leaf, the published key signed it, the path leads to the root, the contract holds that root, its transaction succeeded, and the block’s time fits. Five outcomes: Verified, Time of issue not proven, Not yet anchored, Cannot check now, Failed at step n.',
    verificationRunsThem: ({ verification }: { verification: Around }) => (
      <>
        {verification('Verification')} runs them on the server or in your browser, and checks receipts too. From a
        checkout of the source, the command line needs neither:
      </>
    ),
    alertAloneCantShow: ({ transparency }: { transparency: Around }) => (
      <>
        An alert alone can’t show that the log is the same for everybody. {transparency('Transparency')} compares the
        whole of it with what this browser saw last and with what the chain holds, without an account.
      </>
    ),
    forDevelopers: 'For developers',
    apiReferenceEachCall: ({ apiReference }: { apiReference: Around }) => (
      <>{apiReference('API Reference')}: each call with its fields and examples to copy.</>
    ),
    openapiJsonTheSame: ({ link }: { link: Around }) => (
      <>{link('openapi.json')}: the same for machines (OpenAPI 3.1).</>
    ),
    liveStreamIsAWebsocket: (
      <>
        The live stream is a WebSocket at <code>/ws</code>. It resumes from the last log index that you have seen, so a
        lost connection loses no alert. Programs sign in with a wallet.
      </>
    ),
    logsPublicCallsUnderApi: (
      <>
        The log’s public calls under <code>/api/log</code> need no account.
      </>
    ),
    fromSignUp: 'From sign-up to a verified alert',
    fourStepsThenTheDetails: 'Four steps, then the details.',
  },
}

export const documentationTexts = inLanguage({ en })
