import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { plans } from '@tocsin/protocol'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { CommandLine } from '../../ui/command-line.tsx'
import { proofFileName, verifyCommand } from '../proof/proof-bundle.ts'
import { Article, type Chapter } from './article.tsx'
import { SitePage } from './site-page.tsx'

const chapters: readonly Chapter[] = [
  {
    id: 'quick-start',
    title: 'Quick start',
    body: (
      <ol>
        <li>
          <strong>Make an account.</strong> <Link to={paths.auth}>Sign up</Link> with email and password and open the
          link that we email you, or sign in with a wallet or a configured provider.
        </li>
        <li>
          <strong>Connect your wallet.</strong> On the <Link to={paths.dashboard}>dashboard</Link>, choose your browser
          wallet and sign one message. It proves that the wallet is yours and costs nothing.
        </li>
        <li>
          <strong>Choose a plan.</strong> Your wallet asks you to sign one transfer of ITO to the treasury, or, where
          the operator collects payments, to approve exactly the price. The plan starts by itself once the chain has
          confirmed it, also if you close the page.
        </li>
        <li>
          <strong>Read and verify.</strong> Alerts appear the moment they are issued. Open one and choose Check proof to
          check its signature, its path in the log and its anchor.
        </li>
      </ol>
    ),
  },
  {
    id: 'auth-methods',
    title: 'Ways to sign in',
    body: (
      <>
        <ul>
          <li>
            <strong>Email and password.</strong> At least 8 characters, and none of the common ones. “Remember me” keeps
            the session for 30 days; without it, it ends with the browser.
          </li>
          <li>
            <strong>Google and LinkedIn</strong>, where the operator has configured them. To use one with an existing
            account, sign in first and link it in Settings.
          </li>
          <li>
            <strong>Wallet.</strong> Sign-In with Ethereum (<abbr>EIP-4361</abbr>). The message names this site, your
            address and a code that works once, for ten minutes.
          </li>
        </ul>
        <p>
          Forgot the password? Ask for a reset link on the login page; it works once, for one hour. Sessions are listed
          in <Link to={paths.settings}>Settings</Link>, where you can end each.
        </p>
      </>
    ),
  },
  {
    id: 'wallet',
    title: 'Wallet',
    body: (
      <>
        <p>
          Any browser wallet that announces itself (<abbr>EIP-6963</abbr>) works: MetaMask, Rabby, Coinbase Wallet and
          others; where the operator offers WalletConnect, a wallet on your phone too. Connecting shows your address and
          ITO balance. A signed message proves the wallet for your session; an address alone proves nothing.
        </p>
        <ul>
          <li>If the wallet is on another network, the page offers to switch.</li>
          <li>A wallet belongs to one account. Unlink it in Settings before you use it with another.</li>
          <li>We never ask for your seed phrase or private key.</li>
        </ul>
      </>
    ),
  },
  {
    id: 'plans',
    title: 'Plans',
    body: (
      <>
        <div className="overflow-x-auto">
          <table>
            <thead>
              <tr>
                <th scope="col">Plan</th>
                <th scope="col">Price</th>
                <th scope="col">Per hour</th>
              </tr>
            </thead>
            <tbody>
              {plans.map(({ id, name, price, hours }) => (
                <tr key={id}>
                  <td>{name}</td>
                  <td>{price} ITO</td>
                  <td>{(price / hours).toFixed(2)} ITO</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <p>
          <Link to={paths.history}>History</Link> lists your payments, each with its signed receipt. Nothing renews by
          itself. While a plan runs you can’t start another; a payment that arrives anyway is queued and starts when the
          running plan ends. Without a plan you see at once that an alert was issued, and its content when it becomes
          public.
        </p>
      </>
    ),
  },
  {
    id: 'alerts',
    title: 'Alerts, as you want them',
    body: (
      <ul>
        <li>
          <Link to={paths.notifications}>Notifications</Link> searches all alerts that you may read, by priority, asset,
          type and date, and exports what is selected as a table (CSV) or as alerts that can be verified (JSON).
        </li>
        <li>
          <Link to={paths.settings}>Settings</Link> decide how they reach you: live or not, with sound, as browser
          notifications, from which priority; and how pages show them: time zone, clock and density. They are the same
          on every device.
        </li>
        <li>What arrives is checked in your browser first. An alert whose proof fails is marked, not announced.</li>
        <li>
          Keys: press <code>?</code> on any signed-in page.
        </li>
      </ul>
    ),
  },
  {
    id: 'proof',
    title: 'Checking an alert',
    body: (
      <>
        <p>
          Six checks: the content hashes to its leaf, the published key signed it, the path leads to the root, the
          contract holds that root, its transaction succeeded, and the block’s time fits. Five outcomes: Verified, Time
          of issue not proven, Not yet anchored, Cannot check now, Failed at step n.
        </p>
        <p>
          <Link to={paths.verification}>Verification</Link> runs them on the server or in your browser, and checks
          receipts too. From a checkout of the source, the command line needs neither:
        </p>
        <PinnedCommand />
        <p>
          An alert alone can’t show that the log is the same for everybody.{' '}
          <Link to={paths.transparency}>Transparency</Link> compares the whole of it with what this browser saw last and
          with what the chain holds, without an account.
        </p>
      </>
    ),
  },
  {
    id: 'developers',
    title: 'For developers',
    body: (
      <ul>
        <li>
          <Link to={paths.apiReference}>API Reference</Link>: each call with its fields and examples to copy.
        </li>
        <li>
          <a href="/openapi.json" download>
            openapi.json
          </a>
          : the same for machines (OpenAPI 3.1).
        </li>
        <li>
          The live stream is a WebSocket at <code>/ws</code>. It resumes from the last log index that you have seen, so
          a lost connection loses no alert. Programs sign in with a wallet.
        </li>
        <li>
          The log’s public calls under <code>/api/log</code> need no account.
        </li>
      </ul>
    ),
  },
]

/** The verify command of the other pages. */
function PinnedCommand() {
  const { data: config } = useQuery(queries.config)
  return <CommandLine command={verifyCommand(proofFileName(12), config)} className="my-3" />
}

export function DocumentationPage() {
  return (
    <SitePage kind="Documentation" title="From sign-up to a verified alert" lead="Four steps, then the details.">
      <Article chapters={chapters} />
    </SitePage>
  )
}
