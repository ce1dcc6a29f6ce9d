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
        the data described here. There is no company behind the software that receives a copy, and no page of it loads
        anything from a third party. Ask the operator through <Link to={paths.contactSupport}>Contact Support</Link>.
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
          <strong>Your sessions</strong>: a hash of each session’s secret, the name that your browser gives itself, when
          it began and when it was last seen.
        </li>
        <li>
          <strong>Your wallets</strong>: the addresses that you proved by signature, and when.
        </li>
        <li>
          <strong>Your payments and plans</strong>: plan, amount, transaction, block and period.
        </li>
        <li>
          <strong>Your activity</strong>: sign-ins, plans, verifications, and which alerts you have read.
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
          No analytics, no advertising identifiers, no fingerprints. Your network address is held in memory for a few
          minutes to limit how often something can be tried, and is not stored. Passwords, seed phrases and private keys
          are never stored; the last two are never asked for.
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
          Two cookies, both needed: one carries your session, the other tells the server that you have signed in from
          this browser before. With “remember me” the session lasts up to 30 days, otherwise until you close the
          browser.
        </p>
        <p>While you sign in with a wallet or a provider, a third one holds for ten minutes which browser began it.</p>
        <p>
          Local storage holds your theme, whether this browser is muted, whether you disconnected your wallet by hand, a
          payment that waits for its confirmation, what this browser has seen of the log and which key and node it
          trusts, and hints that spare you a spinner (<code>userAuth</code>, <code>userData</code>,{' '}
          <code>adminAuth</code>). A hint opens nothing: the server decides.
        </p>
      </>
    ),
  },
  {
    id: 'chain',
    title: 'What the chain shows',
    body: (
      <p>
        A payment is a public transaction. Anyone can see that your wallet paid the treasury, when, and how much. Nobody
        can delete that, and only this server connects it with your account.
      </p>
    ),
  },
  {
    id: 'rights',
    title: 'Take it with you, or delete it',
    body: (
      <p>
        In <Link to={paths.settings}>Settings</Link> you can download everything that is kept about your account, and
        delete the account. Deleting removes your name, address, sessions, wallets and activity. Payments stay in the
        ledger as chain facts that point at nobody, and what you wrote to support stays with the operator. Backups of
        the operator may hold the data for as long as they keep backups.
      </p>
    ),
  },
  {
    id: 'mail',
    title: 'Mail',
    body: (
      <p>
        You get mail about your account and your plans: verification, password and address changes, new devices, plans
        that were extended, cancelled or taken back. There is no newsletter. Mail goes through the provider that the
        operator chose.
      </p>
    ),
  },
]

export function PrivacyPolicyPage() {
  return (
    <LegalPage title="Privacy Policy" lead="What this server knows of you, why, and how to take it back.">
      <Article chapters={chapters} />
    </LegalPage>
  )
}
