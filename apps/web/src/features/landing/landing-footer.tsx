import { paths } from '../../paths.ts'
import { landingTexts } from '../../texts/landing.tsx'
import { Mark, Wordmark } from '../../ui/identity/logo.tsx'
import { shortHash } from '../../ui/short-hex.ts'
import { SiteLink } from '../../ui/site-link.tsx'
import { container } from './section.tsx'

const texts = landingTexts.landingFooter

const linkColumns = [
  {
    label: texts.product,
    links: [
      { to: paths.dashboard, label: texts.dashboard },
      { to: paths.transparency, label: texts.transparency },
      { to: paths.admin, label: texts.admin },
    ],
  },
  {
    label: texts.help,
    links: [
      { to: paths.documentation, label: texts.documentation },
      { to: paths.apiReference, label: texts.apiReference },
      { to: paths.contactSupport, label: texts.contactSupport },
    ],
  },
  {
    label: texts.legal,
    links: [
      { to: paths.privacyPolicy, label: texts.privacyPolicy },
      { to: paths.termsOfService, label: texts.termsOfService },
      { to: paths.security, label: texts.security },
    ],
  },
]

/** @param root the log's current root, if the page has loaded it */
export function LandingFooter({ root }: { root?: string | undefined }) {
  return (
    <footer className="mt-28 border-t border-line-1 phone:mt-16">
      <div className={container}>
        <div className="flex flex-wrap justify-between gap-x-16 gap-y-8 py-12 phone:py-10">
          <div>
            <div className="flex items-center gap-4">
              <Mark size={28} />
              <Wordmark />
            </div>
            <p className="mt-3 text-base text-2">{texts.marketIntelligence}</p>
          </div>
          <nav
            aria-label={texts.footer}
            className="grid grid-cols-3 gap-x-16 gap-y-8 phone:w-full phone:grid-cols-2 phone:gap-x-6"
          >
            {linkColumns.map(({ label, links }) => (
              <div key={label}>
                <p className="text-label text-2">{label}</p>
                <ul className="mt-2 flex flex-col gap-1">
                  {links.map(({ to, label: text }) => (
                    <li key={to}>
                      <SiteLink
                        href={to}
                        className="inline-flex min-h-6 items-center text-base text-2 transition-[color] hover:text-1 touch:min-h-11"
                      >
                        {text}
                      </SiteLink>
                    </li>
                  ))}
                </ul>
              </div>
            ))}
          </nav>
        </div>
        <div className="flex min-h-14 flex-wrap items-center justify-between gap-x-8 gap-y-2 border-t border-line-1 py-4 text-base text-2">
          <p>{texts.alertsAreSignalsNotAdvice}</p>
          {root !== undefined && <p className="text-data">{texts.root({ root: shortHash(root, 8) })}</p>}
        </div>
      </div>
    </footer>
  )
}
