import { Link } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { Article, type Chapter } from './article.tsx'
import { LegalPage } from './legal-page.tsx'

const chapters: readonly Chapter[] = [
  {
    id: 'alerts',
    title: 'Tamper-evident alerts',
    body: (
      <>
        <p>
          Each alert is signed by the service’s key (<abbr>EIP-712</abbr>), written to one append-only log (
          <abbr>RFC 6962</abbr>) and covered by a root that is anchored in a contract on chain. The signed bytes are the
          same as the logged bytes and the displayed bytes.
        </p>
        <ul>
          <li>Forged alerts: the signature does not match the published key.</li>
          <li>Edited alerts: the content does not hash to its leaf.</li>
          <li>Backdated alerts: the block that anchors the alert has its own timestamp.</li>
          <li>Removed alerts: the log no longer matches the roots that are already on the chain.</li>
        </ul>
        <p>
          You do not have to trust this page. <Link to={paths.verification}>Verify an alert</Link> in your browser, or
          the whole log from the command line, with any node of the anchor chain.
        </p>
      </>
    ),
  },
  {
    id: 'limits',
    title: 'What the proof does not show',
    body: (
      <p>
        The proof does not show that an alert was right. Between issue and anchor (seconds to a minute), the time of an
        alert is only the operator’s claim. A holder of the signing key can issue new alerts in the operator’s name, but
        cannot change old ones.
      </p>
    ),
  },
  {
    id: 'payments',
    title: 'Payments',
    body: (
      <ul>
        <li>
          Your wallet signs one transfer of the exact price. If the operator collects payments, it approves exactly that
          price instead, and the server collects it once. You are never asked to approve more.
        </li>
        <li>
          The full address of the treasury is shown before you sign. Compare it with the address that your wallet shows.
        </li>
        <li>The server reads payments from the chain itself, using several nodes if the operator configured them.</li>
        <li>A payment is found even if you close the page, and is credited exactly once.</li>
        <li>
          The receipt of a paid period is signed with the key that signs alerts. Anyone can verify it against the chain.
        </li>
        <li>We never ask for your seed phrase or private key. Anyone who does is an impostor.</li>
      </ul>
    ),
  },
  {
    id: 'accounts',
    title: 'Accounts and sessions',
    body: (
      <ul>
        <li>Passwords are hashed with Argon2id; common passwords are rejected.</li>
        <li>Session secrets and emailed links are random and stored only as hashes. Links work once.</li>
        <li>
          Wallet ownership is verified with Sign-In with Ethereum. A message is valid once, for one session, within ten
          minutes.
        </li>
        <li>
          Password attempts are limited by account and by network, and the response never reveals whether an account
          exists.
        </li>
        <li>Changing the password ends all other sessions and their live connections.</li>
        <li>Settings lists your sessions, and you can end each of them.</li>
      </ul>
    ),
  },
  {
    id: 'site',
    title: 'This site',
    body: (
      <p>
        A strict content security policy allows scripts from this site only, and Trusted Types prevent text from being
        interpreted as HTML or script. Every request that changes data must come from our own pages. Nothing is loaded
        from other sites. The worker that checks proofs in your browser sends requests to the chain node that you
        choose, and a wallet on another device is connected through a relay that cannot read the messages. The server
        determines identity, price, time and role itself and never accepts them from the browser.
      </p>
    ),
  },
  {
    id: 'report',
    title: 'Report a problem',
    body: (
      <p>
        Report it to the operator through <Link to={paths.contactSupport}>Contact Support</Link>, category “Technical
        issue”, before you disclose it to others. Describe how to reproduce it, and do not test with other people’s
        accounts or money.
      </p>
    ),
  },
]

export function SecurityPage() {
  return (
    <LegalPage title="Security Overview" lead="How alerts, payments and accounts are protected.">
      <Article chapters={chapters} />
    </LegalPage>
  )
}
