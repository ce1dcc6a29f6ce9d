import { Link } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { Article, type Chapter } from './article.tsx'
import { LegalPage } from './legal-page.tsx'

const chapters: readonly Chapter[] = [
  {
    id: 'who',
    title: 'Data controller and other services',
    body: (
      <>
        <p>
          Tocsin is software that operators run on their own machines. The operator of this site holds the data
          described here. No company behind the software receives a copy, and no page loads anything from a third party.
          Only these features contact another service:
        </p>
        <ul>
          <li>
            <strong>Proofs</strong>: to check an alert that you open, your browser sends requests to a node of the
            chain, which sees your network address. In Settings, “Auto-verify signatures” switches this off for your
            signed-in pages.
          </li>
          <li>
            <strong>A wallet on another device</strong>, if the operator offers it: a relay (WalletConnect) sees the
            time and network address of the connection, but not its content.
          </li>
          <li>
            <strong>Sign-in with a provider</strong>: the provider that you choose learns that you sign in here.
          </li>
          <li>
            <strong>Channels</strong>: alerts are sent through the services that you set up, such as a webhook, a mail
            provider or the push service of your browser.
          </li>
        </ul>
        <p>
          If you have questions, ask the operator through <Link to={paths.contactSupport}>Contact Support</Link>.
        </p>
      </>
    ),
  },
  {
    id: 'what',
    title: 'What is stored',
    body: (
      <>
        <p>
          Where no period is given, data is kept until you delete it or your account. “Export and deletion” below lists
          what stays after that.
        </p>
        <ul>
          <li>
            <strong>Your account</strong>: name, email address if you gave one, an Argon2id hash of your password, the
            time of creation, a suspension and its reason, and the sign-in providers that you linked (their account
            number and email address).
          </li>
          <li>
            <strong>Second factors</strong>: name, public key and last use of each passkey, the encrypted secret of an
            authenticator app, and hashes of recovery codes.
          </li>
          <li>
            <strong>Unconfirmed sign-ups</strong>: name, email address, a hash of the password, a hash of the network
            and the name of the browser. They are deleted after eight days.
          </li>
          <li>
            <strong>Your sessions</strong>: a hash of each session’s secret, the user agent of your browser, the network
            and the way in which you signed in, and when the session began and was last used. They are deleted within an
            hour after they end.
          </li>
          <li>
            <strong>The security log</strong>: sign-ins, failed attempts, rejected requests, and changes of sign-in
            methods, keys and access, with time and network, also of visitors who are not signed in. Entries are kept
            for a year, or for another period of at least 90 days that the operator chose. The operator may also keep
            them in the logs of the server and on a log server.
          </li>
          <li>
            <strong>Your wallets</strong>: the addresses that you verified by signature, and when. For contract wallets
            also the signature, because the contract is asked to check it again.
          </li>
          <li>
            <strong>Your payments and plans</strong>: each purchase that you started, with its plan, price, coupon and
            wallet, and each payment, with its amount, transaction, block and period.
          </li>
          <li>
            <strong>API keys</strong>: name, permissions, first characters and last use of each key. Of the key itself,
            only a hash is stored.
          </li>
          <li>
            <strong>Channels</strong>: name, host or address, rules and encrypted secrets of each destination, and each
            message sent to it with its response, for 30 days or another period that the operator chose. Of a private
            feed, only a hash of its address and the time of the last request are stored.
          </li>
          <li>
            <strong>Your activity</strong>: sign-ins, plans, verifications, exports, links that you share, changes of
            your account, and which alerts you have read or acknowledged. For 30 days also which critical alerts your
            pages and programs have received. Of a shared link, only a hash is stored.
          </li>
          <li>
            <strong>Your preferences</strong>: how you receive alerts, how pages look (including your time zone), the
            filters that you saved, and the assets that you watch.
          </li>
          <li>
            <strong>Your support messages</strong>: the message, with the name and address that you entered in the form,
            and the replies and notes of the operator. The operator may delete closed messages after some time.
          </li>
          <li>
            <strong>Emails and messages of the operator</strong>: which messages of the operator were sent to you.
            Emails are stored until they are sent. Emails that could not be sent are stored for up to eight days.
          </li>
        </ul>
      </>
    ),
  },
  {
    id: 'network',
    title: 'Your network',
    body: (
      <p>
        Your network is your IPv4 address, or the half of your IPv6 address that identifies your network; the other half
        is not stored. It is stored with your sessions and in the security log, and for 24 hours with sign-ups and
        support messages that you send without signing in, so that a repeated request has no second effect. Limits that
        last an hour or a day, for password attempts and requested emails, are stored for that time under hashes of your
        network and of the name that was entered. Unconfirmed sign-ups, and purchases whose transaction you reported,
        contain a hash of your network. To limit the rate of requests, it is also held in memory until newer ones
        replace it or the server restarts.
      </p>
    ),
  },
  {
    id: 'not',
    title: 'What is not stored',
    body: (
      <>
        <p>
          There are no advertising identifiers or fingerprints, and no analytics about you: the server counts the visits
          of the front page and the sign-ups of each day, without any detail. Passwords, seed phrases and private keys
          are never stored, and you are never asked for a seed phrase or private key.
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
          While you sign in with a wallet, a provider or a passkey, a third cookie records for at most ten minutes which
          browser started the sign-in.
        </p>
        <p>
          While you are signed in, this browser keeps the newest 200 alerts that you can read, so that they open without
          a network. They are deleted when your session ends, together with a cookie that holds the number of your
          account. The scripts and an empty page of the site are stored too; they are the same for every visitor.
        </p>
        <p>
          Local storage holds your theme, whether this browser is muted, the wallet that you used last, the session with
          a wallet on another device, whether you disconnected manually, payments that wait for confirmation, purchases
          that you set aside, the plan that you chose before you signed in, a logout that the server has not confirmed,
          announcements that you dismissed, how the dashboard is arranged, the push subscription of this browser,
          interruptions of the live connection during the last day, what this browser has seen of the log, the key and
          node that it trusts, the time zone and clock of your account for pages without a network, and hints that avoid
          a loading spinner (<code>userAuth</code>, <code>userData</code>, <code>adminAuth</code>). The hints give no
          access: the server decides. Scroll positions are stored until you close the tab.
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
        In <Link to={paths.settings}>Settings</Link> you can download the data stored about your account, and delete the
        account. The download leaves out secrets and hashes, second factors, the reason of a suspension, acknowledged
        alerts, the rules and messages of your channels, replies and messages of the operator, and the admins’ audit
        log. Deletion removes your name, address, sessions, second factors, wallets, API keys, channels, preferences,
        activity and the support messages that you sent while signed in. Purchases and payments stay in the ledger as
        facts of the chain, without a link to you. Entries of the security log stay until their period ends, and actions
        of admins on your account and your changes of channels and API keys stay in the audit log, both under numbers
        that no longer identify you. Support messages that you sent without signing in, and the emails that the operator
        received for any message, stay with the operator. The operator’s backups may contain the data for as long as
        they are kept.
      </p>
    ),
  },
  {
    id: 'mail',
    title: 'Email',
    body: (
      <p>
        You receive emails about your account and your plans, such as verification, changes of your password or address,
        sign-in methods, second factors and API keys that were added or removed, sign-ins from new browsers, failed
        sign-in attempts, receipts for payments, and plans that end soon or were extended, cancelled or revoked. The
        operator can also send messages about the service, and news. Each news email has a link to unsubscribe; a hash
        of your address is then stored, also after the account is deleted. Alerts are sent by email only to addresses
        that you confirmed as a channel. Emails are sent through the provider that the operator chose.
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
