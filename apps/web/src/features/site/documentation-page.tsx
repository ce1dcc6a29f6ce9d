import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { plans } from '@tocsin/protocol'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { HrefLink } from '../../ui/href-link.tsx'
import { formatAuthHref } from '../account/auth-search-params.ts'
import { Article, type Chapter } from './article.tsx'
import { PinnedCommand } from './pinned-command.tsx'
import { SitePage } from './site-page.tsx'

const chapters: readonly Chapter[] = [
  {
    id: 'quick-start',
    title: 'Quick start',
    body: (
      <ol>
        <li>
          <strong>Create an account.</strong> <HrefLink href={formatAuthHref({ tab: 'sign-up' })}>Sign up</HrefLink>{' '}
          with email and password and open the link that we email you, or sign in with a wallet or a configured
          provider.
        </li>
        <li>
          <strong>Connect your wallet.</strong> On the <Link to={paths.dashboard}>dashboard</Link>, choose your browser
          wallet and sign one message. Signing is free and proves that the wallet is yours.
        </li>
        <li>
          <strong>Choose a plan.</strong> Your wallet asks you to sign one transfer of ITO to the treasury, or, where
          the operator collects payments, to approve exactly that price. The plan starts automatically when the chain
          has confirmed the payment, even if you close the page.
        </li>
        <li>
          <strong>Read and verify.</strong> Alerts appear as soon as they are issued. Open one and choose Check proof to
          verify its signature, its path in the log and its anchor.
        </li>
      </ol>
    ),
  },
  {
    id: 'auth-methods',
    title: 'Sign-in methods',
    body: (
      <>
        <ul>
          <li>
            <strong>Email and password.</strong> At least 8 characters; common passwords are rejected. “Remember me”
            keeps the session for 30 days; otherwise it ends when you close the browser.
          </li>
          <li>
            <strong>Google and LinkedIn</strong>, if the operator has configured them. To use one with an existing
            account, sign in first and link it in Settings.
          </li>
          <li>
            <strong>Wallet.</strong> Sign-In with Ethereum (<abbr>EIP-4361</abbr>). The message contains this site, your
            address and a code that works once, within ten minutes.
          </li>
        </ul>
        <p>
          If you forgot your password, request a reset link on the login page; it works once, within one hour.{' '}
          <Link to={paths.settings}>Settings</Link> lists your sessions, and you can end each of them.
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
          Any browser wallet that supports <abbr>EIP-6963</abbr> works, such as MetaMask, Rabby or Coinbase Wallet. If
          the operator offers WalletConnect, you can also use a wallet on your phone. Connecting shows your address and
          ITO balance. A signed message proves that the wallet is yours; its address alone does not.
        </p>
        <ul>
          <li>If the wallet is on another network, the page offers to switch.</li>
          <li>A wallet belongs to one account. Unlink it in Settings before you use it with another account.</li>
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
          <Link to={paths.history}>History</Link> lists your payments, each with its signed receipt. Plans do not renew
          automatically. While a plan is active you can’t start another; the period of a payment that still arrives
          starts when the active plan ends. Without a plan, you see immediately that an alert was issued, and its
          content when it becomes public.
        </p>
      </>
    ),
  },
  {
    id: 'alerts',
    title: 'Alerts and settings',
    body: (
      <ul>
        <li>
          <Link to={paths.notifications}>Notifications</Link> searches all alerts that you can read by priority, asset,
          type, regime, outcome and date, and exports the selected ones as a table (CSV) or as verifiable alerts (JSON).
        </li>
        <li>
          The “Watch” button of an alert, or the key <code>w</code>, adds its asset to your watchlist. “Watchlist only”
          above a list hides the other assets.
        </li>
        <li>
          “Views” above a list, or the key <code>s</code>, saves its filters under a name. Saved views open from there
          and from the command palette, on all your devices.
        </li>
        <li>
          In <Link to={paths.settings}>Settings</Link> you choose how you receive alerts (live, with sound, as browser
          notifications, from which priority) and how pages show them (time zone, clock and density). The settings apply
          on all your devices.
        </li>
        <li>Your browser checks each alert that arrives. An alert whose proof fails is marked and not announced.</li>
        <li>
          Keyboard shortcuts: press <code>?</code> on any page after you have signed in. <code>Ctrl+K</code> or{' '}
          <code>⌘K</code> searches pages, assets, alerts and actions.
        </li>
      </ul>
    ),
  },
  {
    id: 'proof',
    title: 'Verifying an alert',
    body: (
      <>
        <p>
          There are six checks: the content hashes to its leaf, the published key signed it, the path leads to the root,
          the contract holds that root, its transaction succeeded, and the block’s time matches. There are five results:
          Verified, Time of issue not proven, Not yet anchored, Cannot check now, Failed at step n. In your browser,
          each outcome of the alert has a result of its own, with Time of outcome not proven in place of Time of issue
          not proven. Without a node of the chain, your browser says Signed: no check failed, but keys and anchor could
          not be checked.
        </p>
        <p>
          <Link to={paths.verification}>Verification</Link> runs the six checks on the server or in your browser, and
          verifies receipts too. The command-line verifier needs neither; run it in a checkout of the source code:
        </p>
        <CommandOfSite />
        <p>
          A single alert can’t show that the log is the same for everyone.{' '}
          <Link to={paths.transparency}>Transparency</Link> compares the whole log with the checkpoint that this browser
          saw last and with the anchors on the chain. It needs no account.
        </p>
      </>
    ),
  },
  {
    id: 'simulated-market',
    title: 'The simulated market of a demo',
    body: (
      <>
        <p>
          A demo runs the same engine as a production installation, on random trades. The same seed and start give the
          same trades on every machine. Nothing in them is market data.
        </p>
        <ul>
          <li>
            <strong>Prices</strong> move every ten seconds by a normally distributed return; 60 to 85% of it is common
            to all assets. Its size follows the hour of day, a calm, normal or turbulent regime, and past moves (GARCH).
          </li>
          <li>
            <strong>Trades</strong> arrive as a Poisson process with lognormal amounts, on two exchanges. Both publish
            the candles of these trades, which judge the predictions.
          </li>
          <li>
            <strong>Anomalies</strong> of known kind are injected: jumps, slides, bursts of volume or volatility,
            dislocations between the exchanges, halts, crashes and pumps.
          </li>
        </ul>
        <p>
          The rules and rates are in <code>docs/engine.md</code> of the source code.
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
          <Link to={paths.apiReference}>API Reference</Link>: every call, with its fields and code examples.
        </li>
        <li>
          <a href="/openapi.json" download>
            openapi.json
          </a>
          : the machine-readable description (OpenAPI 3.1).
        </li>
        <li>
          The live stream is a WebSocket at <code>/ws</code>. It resumes from the last log index that you have seen, so
          a lost connection loses no alert. Programs sign in with an API key or a wallet.
        </li>
        <li>
          The public calls of the log under <code>/api/log</code> need no account.
        </li>
      </ul>
    ),
  },
]

/** `entry/site.ts` finds the element by its attribute and renders the command into it. */
function CommandOfSite() {
  const { data: config } = useQuery(queries.config)
  return (
    <div data-pinned-command>
      <PinnedCommand config={config} />
    </div>
  )
}

export function DocumentationPage() {
  return (
    <SitePage kind="Documentation" title="From sign-up to a verified alert" lead="Four steps, then the details.">
      <Article chapters={chapters} />
    </SitePage>
  )
}
