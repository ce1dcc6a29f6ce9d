import { Link } from '@tanstack/react-router'
import { plans } from '@tocsin/protocol'
import { paths } from '../../paths.ts'
import { termsOfServiceTexts } from '../../texts/terms-of-service.tsx'
import { Article, type Chapter } from './article.tsx'
import { LegalPage } from './legal-page.tsx'

const texts = termsOfServiceTexts.termsOfServicePage

const chapters: readonly Chapter[] = [
  {
    id: 'service',
    title: texts.service,
    body: <p>{texts.operatorOfThisSiteSends}</p>,
  },
  {
    id: 'advice',
    title: texts.signalsNotAdvice,
    body: <p>{texts.alertSaysThatSomething}</p>,
  },
  {
    id: 'account',
    title: texts.yourAccount,
    body: (
      <ul>
        <li>{texts.keepYourPasswordAndWallet}</li>
        <li>{texts.accountIsForOnePerson}</li>
        <li>{texts.passingAlertsOnWhileOthers}</li>
        <li>{texts.youMayDeleteYourAccount}</li>
      </ul>
    ),
  },
  {
    id: 'plans',
    title: texts.plansAndPayment,
    body: (
      <>
        <p>
          {texts.plansArePaidInAdvance({
            plans: plans.map(({ name, price }) => texts.forIto({ name, price })).join(', '),
          })}
        </p>
        <ul>
          <li>{texts.priceChainAndTreasuryStay}</li>
          <li>{texts.planStartsWhenThePayment}</li>
          <li>{texts.paymentThatArrives}</li>
          <li>{texts.paymentsInPartsAddUp}</li>
          <li>{texts.ifAReorganisation}</li>
          <li>{texts.transactionsCannot}</li>
        </ul>
      </>
    ),
  },
  {
    id: 'availability',
    title: texts.availability,
    body: <p>{texts.serviceIsGiven}</p>,
  },
  {
    id: 'end',
    title: texts.ending,
    body: (
      <p>{texts.operatorMaySuspend({ contactSupport: (words) => <Link to={paths.contactSupport}>{words}</Link> })}</p>
    ),
  },
]

export function TermsOfServicePage() {
  return (
    <LegalPage title={texts.termsOfService} lead={texts.whatYouGet}>
      <Article chapters={chapters} />
    </LegalPage>
  )
}
