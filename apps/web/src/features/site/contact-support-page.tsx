import { Panel } from '../../ui/panel.tsx'
import { SitePage } from './site-page.tsx'
import { SupportForm } from './support-form.tsx'

const responseTimes = [
  { what: 'Critical issues', within: '1-2 hours' },
  { what: 'Account issues', within: '4-6 hours' },
  { what: 'General questions', within: '24 hours' },
  { what: 'Feature requests', within: '2-3 days' },
]

export function ContactSupportPage() {
  return (
    <SitePage kind="Contact Support" title="How can we help?" lead="Your message goes to the operator of this site.">
      <div className="mt-12 grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_360px] phone:mt-8">
        <Panel title="Message">
          <SupportForm />
        </Panel>
        <div className="flex flex-col gap-4">
          <Panel title="Response times" flush>
            <dl>
              {responseTimes.map(({ what, within }) => (
                <div
                  key={what}
                  className="flex min-h-11 items-center justify-between gap-4 border-b border-line-1 px-5 text-body last:border-b-0 phone:px-4"
                >
                  <dt>{what}</dt>
                  <dd className="text-right text-data text-2">{within}</dd>
                </div>
              ))}
            </dl>
          </Panel>
          <Panel title="Emergency contact">
            <p className="text-body">
              Is money at risk right now? Choose the category “Billing” and begin the subject with URGENT. Such messages
              are answered first, at any hour.
            </p>
            <p className="mt-3 text-body text-2">
              Include the transaction hash if it is about a payment. Payments to the treasury are never lost: the server
              finds them on the chain by itself.
            </p>
          </Panel>
          <Panel title="Stay safe">
            <p className="text-body">
              We never ask for your password, seed phrase or private key, and never write first in a chat. Whoever does
              is not us.
            </p>
          </Panel>
        </div>
      </div>
    </SitePage>
  )
}
