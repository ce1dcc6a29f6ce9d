import { type Around, inLanguage } from './language.ts'

const en = {
  privacyPolicyPage: {
    whoKeepsYourData: 'Who keeps your data',
    tocsinIsSoftware: ({ contactSupport }: { contactSupport: Around }) => (
      <>
        Tocsin is software that its operator runs on their own machines. The operator of this site is the one who keeps
        the data described here. There is no company behind the software that receives a copy, and none of its pages
        loads anything from a third party. Only one thing asks somebody else, where the operator offers it and only once
        you choose it: a wallet on another device, which is reached through a relay (WalletConnect). The relay sees that
        you are there, from where and when, not what is said. Ask the operator through{' '}
        {contactSupport('Contact Support')}.
      </>
    ),
    whatIsKept: 'What is kept',
    yourAccountNameEmail: (
      <>
        <strong>Your account</strong>: name, email address if you gave one, an Argon2id hash of your password, when it
        was made, and the sign-in providers that you linked (their account number and email address).
      </>
    ),
    yourSessionsAHash: (
      <>
        <strong>Your sessions</strong>: a hash of each session’s secret, the name that your browser gives itself, when
        it began and when it was last seen.
      </>
    ),
    yourWalletsTheAddresses: (
      <>
        <strong>Your wallets</strong>: the addresses that you proved by signature, and when. Of a wallet that is a
        contract also the signature: the contract is asked about it again.
      </>
    ),
    yourPaymentsAndPlansEach: (
      <>
        <strong>Your payments and plans</strong>: each purchase that you began, with its plan, price and wallet, and
        what was paid: amount, transaction, block and period.
      </>
    ),
    yourActivitySignInsPlans: (
      <>
        <strong>Your activity</strong>: sign-ins, plans, verifications, exports, changes of your account, and which
        alerts you have read.
      </>
    ),
    yourPreferencesHowAlerts: (
      <>
        <strong>Your preferences</strong>: how alerts are to reach you and how pages are to look, time zone included.
      </>
    ),
    whatYouWriteToSupport: (
      <>
        <strong>What you write to support</strong>: the message with the name and address that you put in the form.
      </>
    ),
    whatIsNotKept: 'What is not kept',
    noAnalyticsNoAdvertising:
      'No analytics, no advertising identifiers, no fingerprints. Your network address is held in memory for a few minutes to limit how often something can be tried. What is counted for an hour, password attempts and emails that were asked for, is stored under a hash of your network, and nothing else about it is stored. Passwords, seed phrases and private keys are never stored; the last two are never asked for.',
    alertLogHoldsNoPersonal: 'The alert log holds no personal data. Nothing in it says who received an alert.',
    inYourBrowser: 'In your browser',
    twoCookiesBothNeededOne:
      'Two cookies, both needed: one carries your session, the other tells the server that you have signed in from this browser before. With “remember me” the session lasts up to 30 days, otherwise until you close the browser.',
    whileYouSign:
      'While you sign in with a wallet or a provider, a third one holds for ten minutes which browser began it.',
    localStorageHoldsYourTheme: (
      <>
        Local storage holds your theme, whether this browser is muted, which wallet you used last, the session with one
        on another device, whether you disconnected by hand, a payment that waits for its confirmation, when the live
        connection was away during the last day, what this browser has seen of the log and which key and node it trusts,
        and hints that spare you a spinner (<code>userAuth</code>, <code>userData</code>, <code>adminAuth</code>). A
        hint opens nothing: the server decides.
      </>
    ),
    whatTheChainShows: 'What the chain shows',
    paymentIsAPublic:
      'A payment is a public transaction. Anybody can see that your wallet paid the treasury, when, and how much. Nobody can delete that, and only this server connects it with your account.',
    take: 'Take it with you, or delete it',
    inSettingsYouCanDownload: ({ settings }: { settings: Around }) => (
      <>
        In {settings('Settings')} you can download everything that is kept about your account, and delete the account.
        Deleting removes your name, address, sessions, wallets and activity. Payments stay in the ledger as chain facts
        that point at nobody, and what you wrote to support stays with the operator. Backups of the operator may hold
        the data for as long as they keep backups.
      </>
    ),
    email: 'Email',
    youGetEmailAbout:
      'You get email about your account and your plans: verification, password and address changes, new devices, guesses at your password, the receipt of what you paid, a plan that ends soon, was extended, cancelled or taken back. There is no newsletter. Email goes through the provider that the operator chose.',
    privacyPolicy: 'Privacy Policy',
    whatThisServerKnows: 'What this server knows about you, why, and how to take it with you or delete it.',
  },
}

export const privacyPolicyTexts = inLanguage({ en })
