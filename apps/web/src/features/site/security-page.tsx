import { Link } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { securityTexts } from '../../texts/security.tsx'
import { Article, type Chapter } from './article.tsx'
import { LegalPage } from './legal-page.tsx'

const texts = securityTexts.securityPage

const chapters: readonly Chapter[] = [
  {
    id: 'alerts',
    title: texts.alertsThatNobodyCanChange,
    body: (
      <>
        <p>{texts.eachAlertIsSigned}</p>
        <ul>
          <li>{texts.forgedTheSignature}</li>
          <li>{texts.editedTheContent}</li>
          <li>{texts.backDatedTheBlock}</li>
          <li>{texts.droppedTheRoots}</li>
        </ul>
        <p>{texts.youNeedNotBelieve({ verification: (words) => <Link to={paths.verification}>{words}</Link> })}</p>
      </>
    ),
  },
  {
    id: 'limits',
    title: texts.whatTheProof,
    body: <p>{texts.itDoesNotShow}</p>,
  },
  {
    id: 'payments',
    title: texts.payments,
    body: (
      <ul>
        <li>{texts.yourWalletSignsOneTransfer}</li>
        <li>{texts.treasurysAddressIsShown}</li>
        <li>{texts.serverReadsThePayment}</li>
        <li>{texts.paymentIsFoundEven}</li>
        <li>{texts.receiptOfAPaidPeriod}</li>
        <li>{texts.weNeverAsk}</li>
      </ul>
    ),
  },
  {
    id: 'accounts',
    title: texts.accountsAndSessions,
    body: (
      <ul>
        <li>{texts.passwordsAreHashed}</li>
        <li>{texts.sessionSecretsAndMailed}</li>
        <li>{texts.walletsAreProvedBySign}</li>
        <li>{texts.guessingIsSlowedDown}</li>
        <li>{texts.changingThePasswordEnds}</li>
        <li>{texts.youSeeYourSessions}</li>
      </ul>
    ),
  },
  {
    id: 'site',
    title: texts.thisSite,
    body: <p>{texts.strictContentSecurity}</p>,
  },
  {
    id: 'report',
    title: texts.reportAProblem,
    body: (
      <p>
        {texts.tellTheOperatorThrough({ contactSupport: (words) => <Link to={paths.contactSupport}>{words}</Link> })}
      </p>
    ),
  },
]

export function SecurityPage() {
  return (
    <LegalPage title={texts.securityOverview} lead={texts.whatProtectsTheAlerts}>
      <Article chapters={chapters} />
    </LegalPage>
  )
}
