import { paths } from '../../paths.ts'
import { landingTexts } from '../../texts/landing.tsx'
import { Button } from '../../ui/button.tsx'
import { Mark, Wordmark } from '../../ui/identity/logo.tsx'
import { SiteLink } from '../../ui/site-link.tsx'
import { SkipLink } from '../../ui/skip-link.tsx'
import { container } from './section.tsx'

const texts = landingTexts.landingHeader

const links: readonly { href: string; label: string; className?: string }[] = [
  { href: `${paths.home}#how-it-works`, label: texts.howItWorks },
  { href: `${paths.home}#plans`, label: texts.plans },
  { href: paths.transparency, label: texts.transparency },
  { href: paths.documentation, label: texts.documentation },
  { href: paths.apiReference, label: texts.apiReference, className: 'max-lg:hidden' },
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
          aria-label={texts.site}
          className="ml-12 flex gap-7 text-base font-medium text-2 whitespace-nowrap max-lg:ml-7 max-lg:gap-4.5 phone:hidden"
        >
          {links.map(({ href, label, className = '' }) => (
            <SiteLink
              key={href}
              href={href}
              aria-current={href === current ? 'page' : undefined}
              className={`touch-target py-1 transition-[color] hover:text-1 aria-[current=page]:text-1 ${className}`}
            >
              {label}
            </SiteLink>
          ))}
        </nav>
        <Button asChild inHeader className="ml-auto min-w-24 signed-in:hidden">
          <SiteLink href={paths.auth}>{texts.logIn}</SiteLink>
        </Button>
        <Button asChild inHeader className="ml-auto min-w-24 signed-out:hidden">
          <SiteLink href={paths.dashboard}>{texts.dashboard}</SiteLink>
        </Button>
      </div>
    </header>
  )
}
