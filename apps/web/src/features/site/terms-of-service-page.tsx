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
        The operator of this site sends alerts about unusual movements of markets to subscribers, and publishes a log by
        which everybody can check afterwards what was said and when. By making an account or paying for a plan you agree
        to these terms.
      </p>
    ),
  },
  {
    id: 'advice',
    title: 'Signals, not advice',
    body: (
      <p>
        An alert says that something unusual was measured. It is no recommendation to buy or sell, and it may be wrong.
        The proof shows that an alert was stated, by whom and when; it does not show that the alert was right. Past
        figures promise nothing. You trade at your own risk.
      </p>
    ),
  },
  {
    id: 'account',
    title: 'Your account',
    body: (
      <ul>
        <li>Keep your password and wallet to yourself. What is done in your session counts as done by you.</li>
        <li>An account is for one person or one program. Up to five live connections are open at a time.</li>
        <li>Passing alerts on while others pay for them ends your account.</li>
        <li>You may delete your account at any time in Settings.</li>
      </ul>
    ),
  },
  {
    id: 'plans',
    title: 'Plans and payment',
    body: (
      <>
        <p>
          {`Plans are paid in advance with the ITO token: ${plans.map(({ name, price }) => `${name} for ${price} ITO`).join(', ')}. Nothing renews by itself, and nothing is charged without your signature.`}
        </p>
        <ul>
          <li>Price, chain and treasury stay as they were when you began a purchase, until its time is up.</li>
          <li>
            A plan starts when the payment has the confirmations that the operator asks for, and runs to the second. For
            each paid period there is a signed receipt.
          </li>
          <li>A payment that arrives while a plan runs starts its period when that plan ends.</li>
          <li>
            Payments in parts add up, and one that comes late still counts. What is too much, or for no plan, is shown
            to the operator, who credits or returns it.
          </li>
          <li>
            If a reorganisation of the chain removes your payment, its period waits until the payment is back in a
            block.
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
        The service is given as it is, without warranty. Chains, nodes and feeds fail; the service says so when it
        notices. Alerts that were issued while you were away are there when you come back. Alerts are never edited or
        deleted: corrections are new alerts that point back.
      </p>
    ),
  },
  {
    id: 'end',
    title: 'Ending',
    body: (
      <p>
        The operator may suspend an account that breaks these terms, with a reason. Write to{' '}
        <Link to={paths.contactSupport}>support</Link> if you think that it was a mistake.
      </p>
    ),
  },
]

export function TermsOfServicePage() {
  return (
    <LegalPage title="Terms of Service" lead="What you get, what it costs, and what nobody can promise.">
      <Article chapters={chapters} />
    </LegalPage>
  )
}
