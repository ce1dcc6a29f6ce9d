import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { queries } from '../../queries.ts'
import { Mark, Wordmark } from '../../ui/identity/logo.tsx'
import { shortHash } from '../../ui/short-hex.ts'
import { container } from './section.tsx'

const links = [
  { to: paths.dashboard, label: 'Dashboard' },
  { to: paths.verification, label: 'Verification' },
  { to: paths.auth, label: 'Log in' },
  { to: paths.admin, label: 'Admin' },
]

export function LandingFooter() {
  const { data: head } = useQuery(queries.logHead)
  return (
    <footer className="mt-28 border-t border-line-1 phone:mt-16">
      <div className={container}>
        <div className="flex flex-wrap justify-between gap-x-16 gap-y-8 py-12 phone:py-10">
          <div>
            <div className="flex items-center gap-4">
              <Mark size={28} />
              <Wordmark size={18} />
            </div>
            <p className="mt-3 text-base text-2">Market Intelligence</p>
          </div>
          <nav aria-label="Footer">
            <ul className="flex flex-wrap gap-x-16 gap-y-2 phone:grid phone:grid-cols-2">
              {links.map(({ to, label }) => (
                <li key={to}>
                  <Link
                    to={to}
                    className="inline-flex min-h-6 items-center text-base text-2 transition-[color] hover:text-1 touch:min-h-11"
                  >
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
        </div>
        <div className="flex min-h-14 flex-wrap items-center justify-between gap-x-8 gap-y-2 border-t border-line-1 py-4 text-base text-2">
          <p>Alerts are signals, not advice.</p>
          {head && <p className="text-data">root {shortHash(head.root, 8)}</p>}
        </div>
      </div>
    </footer>
  )
}
