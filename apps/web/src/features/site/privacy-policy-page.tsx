import { Link } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { privacyPolicyTexts } from '../../texts/privacy-policy.tsx'
import { Article, type Chapter } from './article.tsx'
import { LegalPage } from './legal-page.tsx'

const texts = privacyPolicyTexts.privacyPolicyPage

const chapters: readonly Chapter[] = [
  {
    id: 'who',
    title: texts.whoKeepsYourData,
    body: (
      <p>{texts.tocsinIsSoftware({ contactSupport: (words) => <Link to={paths.contactSupport}>{words}</Link> })}</p>
    ),
  },
  {
    id: 'what',
    title: texts.whatIsKept,
    body: (
      <ul>
        <li>{texts.yourAccountNameEmail}</li>
        <li>{texts.signUpsThatWait}</li>
        <li>{texts.yourSessionsAHash}</li>
        <li>{texts.yourWalletsTheAddresses}</li>
        <li>{texts.yourPaymentsAndPlansEach}</li>
        <li>{texts.yourActivitySignInsPlans}</li>
        <li>{texts.yourPreferencesHowAlerts}</li>
        <li>{texts.whatYouWriteToSupport}</li>
      </ul>
    ),
  },
  {
    id: 'not',
    title: texts.whatIsNotKept,
    body: (
      <>
        <p>{texts.noAnalyticsNoAdvertising}</p>
        <p>{texts.alertLogHoldsNoPersonal}</p>
      </>
    ),
  },
  {
    id: 'browser',
    title: texts.inYourBrowser,
    body: (
      <>
        <p>{texts.twoCookiesBothNeededOne}</p>
        <p>{texts.whileYouSign}</p>
        <p>{texts.localStorageHoldsYourTheme}</p>
      </>
    ),
  },
  {
    id: 'chain',
    title: texts.whatTheChainShows,
    body: <p>{texts.paymentIsAPublic}</p>,
  },
  {
    id: 'rights',
    title: texts.take,
    body: <p>{texts.inSettingsYouCanDownload({ settings: (words) => <Link to={paths.settings}>{words}</Link> })}</p>,
  },
  {
    id: 'mail',
    title: texts.email,
    body: <p>{texts.youGetEmailAbout}</p>,
  },
]

export function PrivacyPolicyPage() {
  return (
    <LegalPage title={texts.privacyPolicy} lead={texts.whatThisServerKnows}>
      <Article chapters={chapters} />
    </LegalPage>
  )
}
