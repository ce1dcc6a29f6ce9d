import { Link } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { Article, type Chapter } from './article.tsx'
import { LegalPage } from './legal-page.tsx'

const chapters: readonly Chapter[] = [
  {
    id: 'who',
    title: 'Who holds your data',
    body: (
      <p>
        Tocsin is software that operators run on their own machines. The operator of this site holds the data described
        here. No company behind the software receives a copy, and no page loads anything from a third party. Two
        features contact another service, and only when you choose them. Checking a proof in your browser sends requests
        to a node of the chain, which sees your network address. Connecting a wallet on another device, if the operator
        offers it, uses a relay (WalletConnect), which sees the time and network address of the connection, but not its
        content. If you have questions, ask the operator through <Link to={paths.contactSupport}>Contact Support</Link>.
      </p>
    ),
  },
  {
    id: 'what',
    title: 'What is stored',
    body: (
      <ul>
        <li>
          <strong>Your account</strong>: name, email address if you gave one, an Argon2id hash of your password, the
          time of creation, and the sign-in providers that you linked (their account number and email address).
        </li>
        <li>
          <strong>Unconfirmed sign-ups</strong>: name, email address, a hash of the password, a hash of the network and
          the name of the browser. They are deleted after eight days.
        </li>
        <li>
          <strong>Your sessions</strong>: a hash of each session’s secret, the user agent of your browser, and when the
          session began and was last used.
        </li>
        <li>
          <strong>Your wallets</strong>: the addresses that you proved by signature, and when. For contract wallets also
          the signature, because the contract is asked to check it again.
        </li>
        <li>
          <strong>Your payments and plans</strong>: each purchase that you started, with its plan, price and wallet, and
          each payment, with its amount, transaction, block and period.
        </li>
        <li>
          <strong>Your activity</strong>: sign-ins, plans, verifications, exports, links that you share, changes of your
          account, and which alerts you have read. Of a shared link, only a hash is stored.
        </li>
        <li>
          <strong>Your preferences</strong>: how you receive alerts, how pages look (including your time zone), and the
          assets that you watch.
        </li>
        <li>
          <strong>Your support messages</strong>: the message, with the name and address that you entered in the form.
        </li>
      </ul>
    ),
  },
  {
    id: 'not',
    title: 'What is not stored',
    body: (
      <>
        <p>
          There are no analytics, advertising identifiers or fingerprints. To limit the rate of requests, your network
          address is held in memory until newer ones replace it or the server restarts; of an IPv6 address, only the
          half that identifies your network. Limits that last an hour or a day, for password attempts and requested
          emails, are stored for that time under hashes of your network and of the name that was entered. Apart from
          unconfirmed sign-ups, nothing else about your network is stored. Passwords, seed phrases and private keys are
          never stored, and you are never asked for a seed phrase or private key.
        </p>
        <p>The alert log contains no personal data. It does not record who received an alert.</p>
      </>
    ),
  },
  {
    id: 'browser',
    title: 'In your browser',
    body: (
      <>
        <p>
          The site sets two cookies, both necessary: one holds your session, and the other records for a year that you
          have signed in from this browser. With “remember me” the session lasts up to 30 days, otherwise until you
          close the browser.
        </p>
        <p>
          While you sign in with a wallet or a provider, a third cookie records for ten minutes which browser started
          the sign-in.
        </p>
        <p>
          While you are signed in, this browser keeps the newest 200 alerts that you can read, so that they open without
          a network. They are deleted when your session ends, and a cookie with the number of your account ends with it.
          The scripts and an empty page of the site are stored too; they are the same for every visitor.
        </p>
        <p>
          Local storage holds your theme, whether this browser is muted, the wallet that you used last, the session with
          a wallet on another device, whether you disconnected manually, payments that wait for confirmation, purchases
          that you set aside, interruptions of the live connection during the last day, what this browser has seen of
          the log, the key and node that it trusts, and hints that avoid a loading spinner (<code>userAuth</code>,{' '}
          <code>userData</code>, <code>adminAuth</code>). The hints give no access: the server decides. Scroll positions
          are stored until you close the tab.
        </p>
      </>
    ),
  },
  {
    id: 'chain',
    title: 'What is public on the chain',
    body: (
      <p>
        A payment is a public transaction. Anyone can see that your wallet paid the treasury, when, and how much. This
        cannot be deleted. Only this server connects it with your account.
      </p>
    ),
  },
  {
    id: 'rights',
    title: 'Export and deletion',
    body: (
      <p>
        In <Link to={paths.settings}>Settings</Link> you can download the data stored about your account, except the
        admins’ audit log, and delete the account. Deletion removes your name, address, sessions, wallets, activity and
        the support messages that you sent while signed in. Payments stay in the ledger as facts of the chain, without a
        link to you. Actions of admins on your account stay in their audit log, under a number that no longer identifies
        you. Support messages that you sent without signing in, and the emails that the operator received for any
        message, stay with the operator. The operator’s backups may contain the data for as long as they are kept.
      </p>
    ),
  },
  {
    id: 'mail',
    title: 'Email',
    body: (
      <p>
        You receive emails about your account and your plans: verification, changes of your password or address, sign-in
        methods that were added or removed, sign-ins from new browsers, failed sign-in attempts, receipts for payments,
        and plans that end soon or were extended, cancelled or revoked. There is no newsletter. Emails are sent through
        the provider that the operator chose.
      </p>
    ),
  },
]

export function PrivacyPolicyPage() {
  return (
    <LegalPage title="Privacy Policy" lead="What this server stores about you, why, and how to export or delete it.">
      <Article chapters={chapters} />
    </LegalPage>
  )
}
