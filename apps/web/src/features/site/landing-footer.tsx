import { paths } from '../../paths.ts'
import { Mark, Wordmark } from '../../ui/identity/logo.tsx'
import { shortenHash } from '../../ui/short-hex.ts'
import { SiteLink } from '../../ui/site-link.tsx'
import { container } from './section.tsx'

const linkColumns = [
  {
    label: 'Product',
    links: [
      { to: paths.dashboard, label: 'Dashboard' },
      { to: paths.trackRecord, label: 'Track record' },
      { to: paths.transparency, label: 'Transparency' },
      { to: paths.admin, label: 'Admin' },
    ],
  },
  {
    label: 'Help',
    links: [
      { to: paths.documentation, label: 'Documentation' },
      { to: paths.apiReference, label: 'API Reference' },
      { to: paths.contactSupport, label: 'Contact Support' },
    ],
  },
  {
    label: 'Legal',
    links: [
      { to: paths.privacyPolicy, label: 'Privacy Policy' },
      { to: paths.termsOfService, label: 'Terms of Service' },
      { to: paths.security, label: 'Security' },
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
            <p className="mt-3 text-base text-2">Market Intelligence</p>
          </div>
          <nav
            aria-label="Footer"
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
          <p>Alerts are signals, not advice.</p>
          {root !== undefined && <p className="text-data">root {shortenHash(root, 8)}</p>}
        </div>
      </div>
    </footer>
  )
}
