import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { plans } from '@tocsin/protocol'
import { paths } from '../../paths.ts'
import { queries } from '../../queries.ts'
import { documentationTexts } from '../../texts/documentation.tsx'
import { CommandLine } from '../../ui/command-line.tsx'
import { proofFileName, verifyCommand } from '../proof/proof-bundle.ts'
import { Article, type Chapter } from './article.tsx'
import { SitePage } from './site-page.tsx'

const texts = documentationTexts.documentationPage

const chapters: readonly Chapter[] = [
  {
    id: 'quick-start',
    title: texts.quickStart,
    body: (
      <ol>
        <li>{texts.makeAnAccountSignUp({ auth: (words) => <Link to={paths.auth}>{words}</Link> })}</li>
        <li>{texts.connectYourWallet({ dashboard: (words) => <Link to={paths.dashboard}>{words}</Link> })}</li>
        <li>{texts.chooseAPlanYourWallet}</li>
        <li>{texts.readAndVerifyAlertsAppear}</li>
      </ol>
    ),
  },
  {
    id: 'auth-methods',
    title: texts.waysToSignIn,
    body: (
      <>
        <ul>
          <li>{texts.emailAndPasswordAtLeast}</li>
          <li>{texts.googleAndLinkedin}</li>
          <li>{texts.walletSignInWithEthereum}</li>
        </ul>
        <p>{texts.forgotThePasswordAsk({ settings: (words) => <Link to={paths.settings}>{words}</Link> })}</p>
      </>
    ),
  },
  {
    id: 'wallet',
    title: texts.wallet,
    body: (
      <>
        <p>{texts.anyBrowserWallet}</p>
        <ul>
          <li>{texts.ifTheWallet}</li>
          <li>{texts.walletBelongsToOneAccount}</li>
          <li>{texts.weNeverAsk}</li>
        </ul>
      </>
    ),
  },
  {
    id: 'plans',
    title: texts.plans,
    body: (
      <>
        <div className="overflow-x-auto">
          <table>
            <thead>
              <tr>
                <th scope="col">{texts.plan}</th>
                <th scope="col">{texts.price}</th>
                <th scope="col">{texts.perHour}</th>
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
        <p>{texts.historyListsYourPayments({ history: (words) => <Link to={paths.history}>{words}</Link> })}</p>
      </>
    ),
  },
  {
    id: 'alerts',
    title: texts.alertsAsYouWantThem,
    body: (
      <ul>
        <li>
          {texts.notificationsSearches({ notifications: (words) => <Link to={paths.notifications}>{words}</Link> })}
        </li>
        <li>{texts.settingsSayHowTheyReach({ settings: (words) => <Link to={paths.settings}>{words}</Link> })}</li>
        <li>{texts.whatArrivesIsChecked}</li>
        <li>{texts.keysPressOnAnySigned({ code: <code>?</code> })}</li>
      </ul>
    ),
  },
  {
    id: 'proof',
    title: texts.checkingAnAlert,
    body: (
      <>
        <p>{texts.sixChecksTheContentHashes}</p>
        <p>{texts.verificationRunsThem({ verification: (words) => <Link to={paths.verification}>{words}</Link> })}</p>
        <PinnedCommand />
        <p>{texts.alertAloneCantShow({ transparency: (words) => <Link to={paths.transparency}>{words}</Link> })}</p>
      </>
    ),
  },
  {
    id: 'developers',
    title: texts.forDevelopers,
    body: (
      <ul>
        <li>{texts.apiReferenceEachCall({ apiReference: (words) => <Link to={paths.apiReference}>{words}</Link> })}</li>
        <li>
          {texts.openapiJsonTheSame({
            link: (words) => (
              <a href="/openapi.json" download>
                {words}
              </a>
            ),
          })}
        </li>
        <li>{texts.liveStreamIsAWebsocket}</li>
        <li>{texts.logsPublicCallsUnderApi}</li>
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
    <SitePage kind={texts.documentation} title={texts.fromSignUp} lead={texts.fourStepsThenTheDetails}>
      <Article chapters={chapters} />
    </SitePage>
  )
}
