import { Link } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { Article, type Chapter } from './article.tsx'
import { LegalPage } from './legal-page.tsx'

const chapters: readonly Chapter[] = [
  {
    id: 'alerts',
    title: 'Alerts that nobody can change',
    body: (
      <>
        <p>
          Each alert is signed by the service’s key (<abbr>EIP-712</abbr>), written to one append-only log (
          <abbr>RFC 6962</abbr>) and covered by a root that is anchored in a contract on chain. The signed bytes are the
          logged bytes and the shown bytes.
        </p>
        <ul>
          <li>Forged: the signature does not lead to the published key.</li>
          <li>Edited: the content does not hash to its leaf.</li>
          <li>Back-dated: the block that anchors it has a time of its own.</li>
          <li>Dropped: the roots that the chain already holds no longer follow from the log.</li>
        </ul>
        <p>
          You need not believe this page. <Link to={paths.verification}>Verify an alert</Link> in your browser, or the
          whole log from a command line, over any node of the anchor chain.
        </p>
      </>
    ),
  },
  {
    id: 'limits',
    title: 'What the proof does not show',
    body: (
      <p>
        It does not show that an alert was right. Between issue and anchor, seconds to a minute, the time of an alert is
        the operator’s word. Who holds the signing key can state new alerts in the operator’s name, but can’t change old
        ones.
      </p>
    ),
  },
  {
    id: 'payments',
    title: 'Payments',
    body: (
      <ul>
        <li>
          Your wallet signs one transfer of the exact price. Where the operator collects payments, it approves exactly
          that price instead, and the server takes it once: no approval for more is ever asked for.
        </li>
        <li>The treasury’s address is shown in full before you sign. Compare it.</li>
        <li>
          The server reads the payment from the chain itself, from several nodes where the operator configured them.
        </li>
        <li>A payment is found even if you close the page, and counts exactly once.</li>
        <li>
          The receipt of a paid period is signed with the key of the alerts: anybody can check it against the chain.
        </li>
        <li>We never ask for your seed phrase or private key. Whoever does is not us.</li>
      </ul>
    ),
  },
  {
    id: 'accounts',
    title: 'Accounts and sessions',
    body: (
      <ul>
        <li>Passwords are hashed with Argon2id; common ones are refused.</li>
        <li>Session secrets and emailed links are random, stored only as hashes, and links work once.</li>
        <li>Wallets are proved by Sign-In with Ethereum: one message, one session, ten minutes.</li>
        <li>Guessing is slowed down by account and by address, and never tells whether an account exists.</li>
        <li>Changing the password ends the other sessions, with their live connections.</li>
        <li>You see your sessions in Settings and can end each.</li>
      </ul>
    ),
  },
  {
    id: 'site',
    title: 'This site',
    body: (
      <p>
        A strict content security policy allows scripts from this site alone, and Trusted Types keep text from becoming
        HTML or a script. Every write must come from our own pages. Nothing is loaded from elsewhere; the worker that
        checks proofs in your browser asks the node of the chain that you choose, and a wallet on another device is
        reached through a relay that can’t read along. The server checks identity, price, time and role by itself and
        takes none of them from the browser.
      </p>
    ),
  },
  {
    id: 'report',
    title: 'Report a problem',
    body: (
      <p>
        Tell the operator through <Link to={paths.contactSupport}>Contact Support</Link>, category “Technical issue”,
        before you tell others. Say how to reproduce it; do not test against other people’s accounts or money.
      </p>
    ),
  },
]

export function SecurityPage() {
  return (
    <LegalPage title="Security Overview" lead="What protects the alerts, your money and your account.">
      <Article chapters={chapters} />
    </LegalPage>
  )
}
