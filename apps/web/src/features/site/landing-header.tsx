import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { Mark, Wordmark } from '../../ui/identity/logo.tsx'
import { SiteLink } from '../../ui/site-link.tsx'
import { SkipLink } from '../../ui/skip-link.tsx'
import { container } from './section.tsx'

const links: readonly { href: string; label: string; className?: string }[] = [
  { href: `${paths.home}#how-it-works`, label: 'How it works' },
  { href: `${paths.home}#plans`, label: 'Plans', className: 'max-lg:hidden' },
  { href: paths.trackRecord, label: 'Track record' },
  { href: paths.transparency, label: 'Transparency' },
  { href: paths.documentation, label: 'Documentation' },
  { href: paths.apiReference, label: 'API Reference', className: 'max-lg:hidden' },
]

/** @param current path of the current page */
export function LandingHeader({ current }: { current: string }) {
  return (
    <header className="border-b border-line-1">
      <SkipLink />
      <div className={`${container} flex h-18 items-center phone:h-14`}>
        <SiteLink href={paths.home} className="touch-target flex items-center gap-4">
          <Mark size={28} />
          <Wordmark />
        </SiteLink>
        <nav
          aria-label="Site"
          className="ml-12 flex gap-7 text-base font-medium text-2 whitespace-nowrap max-lg:ml-7 max-lg:gap-4.5 phone:hidden"
        >
          {links.map(({ href, label, className = '' }) => (
            <SiteLink
              key={href}
              href={href}
              aria-current={href === current ? 'page' : undefined}
              className={`touch-target py-1 transition-[color] hover:text-1 aria-[current=page]:text-1 forced-colors:aria-[current=page]:underline ${className}`}
            >
              {label}
            </SiteLink>
          ))}
        </nav>
        <Button asChild inHeader className="ml-auto min-w-24 signed-in:hidden">
          <SiteLink href={paths.auth}>Log in</SiteLink>
        </Button>
        <Button asChild inHeader className="ml-auto min-w-24 signed-out:hidden">
          <SiteLink href={paths.dashboard}>Dashboard</SiteLink>
        </Button>
      </div>
    </header>
  )
}
