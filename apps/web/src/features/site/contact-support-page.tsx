import { siteTexts } from '../../texts/site.ts'
import { Panel } from '../../ui/panel.tsx'
import { SitePage } from './site-page.tsx'
import { SupportForm } from './support-form.tsx'

const texts = siteTexts.contactSupportPage

const responseTimes = [
  { what: texts.criticalIssues, within: texts.withinTwoHours },
  { what: texts.accountIssues, within: texts.withinSixHours },
  { what: texts.generalQuestions, within: texts.withinADay },
  { what: texts.featureRequests, within: texts.withinThreeDays },
]

export function ContactSupportPage() {
  return (
    <SitePage kind={texts.contactSupport} title={texts.howCanWeHelp} lead={texts.yourMessageGoes}>
      <div className="mt-12 grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_360px] phone:mt-8">
        <Panel title={texts.message}>
          <SupportForm />
        </Panel>
        <div className="flex flex-col gap-4">
          <Panel title={texts.responseTimes} flush>
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
          <Panel title={texts.emergencyContact}>
            <p className="text-body">{texts.isMoneyAtRiskRight}</p>
            <p className="mt-3 text-body text-2">{texts.includeTheTransactionHash}</p>
          </Panel>
          <Panel title={texts.staySafe}>
            <p className="text-body">{texts.weNeverAsk}</p>
          </Panel>
        </div>
      </div>
    </SitePage>
  )
}
