import { Link } from '@tanstack/react-router'
import { plans } from '@tocsin/protocol'
import { paths } from '../../paths.ts'
import { Article, type Chapter } from './article.tsx'
import { LegalPage } from './legal-page.tsx'

const chapters: readonly Chapter[] = [
  {
    id: 'service',
    title: 'The service',
    body: (
      <p>
        The operator of this site sends alerts about unusual market movements to subscribers, and publishes a log with
        which anyone can verify later what was issued and when. By creating an account or paying for a plan you agree to
        these terms.
      </p>
    ),
  },
  {
    id: 'advice',
    title: 'Signals, not advice',
    body: (
      <p>
        An alert reports an unusual measurement. It is not a recommendation to buy or sell, and it may be wrong. The
        proof shows who issued an alert and when; it does not show that the alert was right. Past results do not
        guarantee future results. You trade at your own risk.
      </p>
    ),
  },
  {
    id: 'account',
    title: 'Your account',
    body: (
      <ul>
        <li>Keep your password and wallet private. You are responsible for all activity in your sessions.</li>
        <li>An account is for one person or one program. It can have up to five live connections at a time.</li>
        <li>Do not redistribute alerts before they are public. Doing so ends your account.</li>
        <li>You can delete your account at any time in Settings.</li>
      </ul>
    ),
  },
  {
    id: 'plans',
    title: 'Plans and payment',
    body: (
      <>
        <p>
          {`Plans are paid in advance with the ITO token: ${plans.map(({ name, price }) => `${name} for ${price}\u00a0ITO`).join(', ')}. Plans do not renew automatically, and nothing is charged without your signature.`}
        </p>
        <ul>
          <li>A purchase keeps its price, chain and treasury until it expires.</li>
          <li>
            A plan starts when the payment has the confirmations that the operator requires, and its duration is exact
            to the second. Each paid period has a signed receipt.
          </li>
          <li>If a payment arrives while a plan is active, its period starts when that plan ends.</li>
          <li>
            Partial payments are added up, and late payments still count. Overpayments and payments that match no plan
            are shown to the operator, who credits or returns them.
          </li>
          <li>
            If a chain reorganisation removes your payment, its period is suspended until the payment is in a block
            again.
          </li>
          <li>Transactions cannot be reversed. A refund is a new payment by the operator, decided case by case.</li>
        </ul>
      </>
    ),
  },
  {
    id: 'availability',
    title: 'Availability',
    body: (
      <p>
        The service is provided as is, without warranty. Chains, nodes and feeds can fail; the service reports failures
        that it detects. Alerts that were issued while you were offline are available when you return. Alerts are never
        edited or deleted: corrections are new alerts that refer to the original.
      </p>
    ),
  },
  {
    id: 'end',
    title: 'Suspension',
    body: (
      <p>
        The operator may suspend an account that breaks these terms, and states the reason. Contact{' '}
        <Link to={paths.contactSupport}>support</Link> if you think that it was a mistake.
      </p>
    ),
  },
]

export function TermsOfServicePage() {
  return (
    <LegalPage title="Terms of Service" lead="What the service includes, what it costs, and what is not guaranteed.">
      <Article chapters={chapters} />
    </LegalPage>
  )
}
