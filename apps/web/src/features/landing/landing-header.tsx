import { Link } from '@tanstack/react-router'
import { useAuth } from '../../auth.tsx'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { Mark, Wordmark } from '../../ui/identity/logo.tsx'
import { container } from './section.tsx'

export function LandingHeader() {
  const { isAuthenticated, hint } = useAuth()
  return (
    <header className="border-b border-line-1">
      <div className={`${container} flex h-18 items-center phone:h-14`}>
        <Link to={paths.home} className="touch-target flex items-center gap-4">
          <Mark size={28} />
          <Wordmark size={18} />
        </Link>
        <nav aria-label="On this page" className="ml-12 flex gap-7 text-base font-medium text-2 phone:hidden">
          <a href="#features" className="touch-target transition-[color] hover:text-1">
            Features
          </a>
          <a href="#plans" className="touch-target transition-[color] hover:text-1">
            Plans
          </a>
        </nav>
        <Button asChild inHeader className="ml-auto min-w-24">
          {isAuthenticated || hint ? <Link to={paths.dashboard}>Dashboard</Link> : <Link to={paths.auth}>Log in</Link>}
        </Button>
      </div>
    </header>
  )
}
