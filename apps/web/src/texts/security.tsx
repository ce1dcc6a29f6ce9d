import { type Around, inLanguage } from './language.ts'

const en = {
  securityPage: {
    alertsThatNobodyCanChange: 'Alerts that nobody can change',
    eachAlertIsSigned: (
      <>
        Each alert is signed by the service’s key (<abbr>EIP-712</abbr>), written to one append-only log (
        <abbr>RFC 6962</abbr>) and covered by a root that is anchored in a contract on chain. The signed bytes are the
        logged bytes and the shown bytes.
      </>
    ),
    forgedTheSignature: 'Forged: the signature does not lead to the published key.',
    editedTheContent: 'Edited: the content does not hash to its leaf.',
    backDatedTheBlock: 'Back-dated: the block that anchors it has a time of its own.',
    droppedTheRoots: 'Dropped: the roots that the chain already holds no longer follow from the log.',
    youNeedNotBelieve: ({ verification }: { verification: Around }) => (
      <>
        You need not believe this page. {verification('Verify an alert')} in your browser, or the whole log from a
        command line, over any node of the anchor chain.
      </>
    ),
    whatTheProof: 'What the proof does not show',
    itDoesNotShow:
      'It does not show that an alert was right. Between issue and anchor, seconds to a minute, the time of an alert is the operator’s word. Who holds the signing key can state new alerts in the operator’s name, but can’t change old ones.',
    payments: 'Payments',
    yourWalletSignsOneTransfer:
      'Your wallet signs one transfer of the exact price. Where the operator collects payments, it approves exactly that price instead, and the server takes it once: no approval for more is ever asked for.',
    treasurysAddressIsShown: 'The treasury’s address is shown in full before you sign. Compare it.',
    serverReadsThePayment:
      'The server reads the payment from the chain itself, from several nodes where the operator configured them.',
    paymentIsFoundEven: 'A payment is found even if you close the page, and counts exactly once.',
    receiptOfAPaidPeriod:
      'The receipt of a paid period is signed with the key of the alerts: anybody can check it against the chain.',
    weNeverAsk: 'We never ask for your seed phrase or private key. Whoever does is not us.',
    accountsAndSessions: 'Accounts and sessions',
    passwordsAreHashed: 'Passwords are hashed with Argon2id; common ones are refused.',
    sessionSecretsAndMailed:
      'Session secrets and emailed links are random, stored only as hashes, and links work once.',
    walletsAreProvedBySign: 'Wallets are proved by Sign-In with Ethereum: one message, one session, ten minutes.',
    guessingIsSlowedDown:
      'Guessing is slowed down by account and by address, and never tells whether an account exists.',
    changingThePasswordEnds: 'Changing the password ends the other sessions, with their live connections.',
    youSeeYourSessions: 'You see your sessions in Settings and can end each.',
    thisSite: 'This site',
    strictContentSecurity:
      'A strict content security policy allows scripts from this site alone, and Trusted Types keep text from becoming HTML or a script. Every write must come from our own pages. Nothing is loaded from elsewhere; the worker that checks proofs in your browser asks the node of the chain that you choose, and a wallet on another device is reached through a relay that can’t read along. The server checks identity, price, time and role by itself and takes none of them from the browser.',
    reportAProblem: 'Report a problem',
    tellTheOperatorThrough: ({ contactSupport }: { contactSupport: Around }) => (
      <>
        Tell the operator through {contactSupport('Contact Support')}, category “Technical issue”, before you tell
        others. Say how to reproduce it; do not test against other people’s accounts or money.
      </>
    ),
    securityOverview: 'Security Overview',
    whatProtectsTheAlerts: 'What protects the alerts, your money and your account.',
  },
}

export const securityTexts = inLanguage({ en })
