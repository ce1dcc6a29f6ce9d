import { Link } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { Article, type Chapter } from './article.tsx'
import { LegalPage } from './legal-page.tsx'

const chapters: readonly Chapter[] = [
  {
    id: 'who',
    title: 'Who keeps your data',
    body: (
      <p>
        Tocsin is software that its operator runs on their own machines. The operator of this site is the one who keeps
        the data described here. There is no company behind the software that receives a copy, and none of its pages
        loads anything from a third party. Two things ask somebody else, and only once you choose them: a check of a
        proof in your browser, which asks a node of the chain and so shows it your network address; and, where the
        operator offers it, a wallet on another device, which is reached through a relay (WalletConnect). The relay sees
        that you are there, from where and when, not what is said. Ask the operator through{' '}
        <Link to={paths.contactSupport}>Contact Support</Link>.
      </p>
    ),
  },
  {
    id: 'what',
    title: 'What is kept',
    body: (
      <ul>
        <li>
          <strong>Your account</strong>: name, email address if you gave one, an Argon2id hash of your password, when it
          was made, and the sign-in providers that you linked (their account number and email address).
        </li>
        <li>
          <strong>Sign-ups that nobody has confirmed</strong>: name, email address, a hash of the password, a hash of
          the network and the name of the browser. Unused, they are deleted after eight days.
        </li>
        <li>
          <strong>Your sessions</strong>: a hash of each session’s secret, the name that your browser gives itself, when
          it began and when it was last seen.
        </li>
        <li>
          <strong>Your wallets</strong>: the addresses that you proved by signature, and when. Of a wallet that is a
          contract also the signature: the contract is asked about it again.
        </li>
        <li>
          <strong>Your payments and plans</strong>: each purchase that you began, with its plan, price and wallet, and
          what was paid: amount, transaction, block and period.
        </li>
        <li>
          <strong>Your activity</strong>: sign-ins, plans, verifications, exports, changes of your account, and which
          alerts you have read.
        </li>
        <li>
          <strong>Your preferences</strong>: how alerts are to reach you and how pages are to look, time zone included.
        </li>
        <li>
          <strong>What you write to support</strong>: the message with the name and address that you put in the form.
        </li>
      </ul>
    ),
  },
  {
    id: 'not',
    title: 'What is not kept',
    body: (
      <>
        <p>
          No analytics, no advertising identifiers, no fingerprints. To limit how often something can be tried, your
          network address is held in memory, of a long one the half that names your network, until newer ones take its
          place or the server restarts. What is counted for an hour or a day, password attempts and emails that were
          asked for, is stored for that time under hashes of your network and of the name that was tried. Except with a
          sign-up that waits for its link, nothing else about your network is stored. Passwords, seed phrases and
          private keys are never stored; the last two are never asked for.
        </p>
        <p>The alert log holds no personal data. Nothing in it says who received an alert.</p>
      </>
    ),
  },
  {
    id: 'browser',
    title: 'In your browser',
    body: (
      <>
        <p>
          Two cookies, both needed: one carries your session, the other tells the server for a year that you have signed
          in from this browser before. With “remember me” the session lasts up to 30 days, otherwise until you close the
          browser.
        </p>
        <p>While you sign in with a wallet or a provider, a third one holds for ten minutes which browser began it.</p>
        <p>
          Local storage holds your theme, whether this browser is muted, which wallet you used last, the session with
          one on another device, whether you disconnected by hand, payments that wait for their confirmation and
          purchases that you put aside, when the live connection was away during the last day, what this browser has
          seen of the log and which key and node it trusts, and hints that spare you a spinner (<code>userAuth</code>,{' '}
          <code>userData</code>, <code>adminAuth</code>). A hint opens nothing: the server decides. Until you close the
          tab, it also holds how far you had scrolled.
        </p>
      </>
    ),
  },
  {
    id: 'chain',
    title: 'What the chain shows',
    body: (
      <p>
        A payment is a public transaction. Anybody can see that your wallet paid the treasury, when, and how much.
        Nobody can delete that, and only this server connects it with your account.
      </p>
    ),
  },
  {
    id: 'rights',
    title: 'Take it with you, or delete it',
    body: (
      <p>
        In <Link to={paths.settings}>Settings</Link> you can download what is kept about your account, all but the
        admins’ trail, and delete the account. Deleting removes your name, address, sessions, wallets, activity and what
        you wrote to support while you were signed in. Payments stay in the ledger as chain facts that point at nobody,
        and what admins did with your account stays in their audit trail, under a number that then names nobody. What
        you wrote to support without signing in, and the mail that the operator got of any message, stay with the
        operator. Backups of the operator may hold the data for as long as they keep backups.
      </p>
    ),
  },
  {
    id: 'mail',
    title: 'Email',
    body: (
      <p>
        You get email about your account and your plans: verification, password and address changes, ways to sign in
        that were added or removed, new devices, guesses at your password, the receipt of what you paid, a plan that
        ends soon, was extended, cancelled or taken back. There is no newsletter. Email goes through the provider that
        the operator chose.
      </p>
    ),
  },
]

export function PrivacyPolicyPage() {
  return (
    <LegalPage
      title="Privacy Policy"
      lead="What this server knows about you, why, and how to take it with you or delete it."
    >
      <Article chapters={chapters} />
    </LegalPage>
  )
}
