import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ExternalLink, LogOut } from 'lucide-react'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { useAuth } from '../../session/auth.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Mark } from '../../ui/identity/logo.tsx'
import { healthOf } from './system-health.ts'

export function AdminHeader() {
  return (
    <header
      data-shell-header
      className="sticky top-0 z-20 flex min-h-16 flex-wrap items-center gap-x-5 gap-y-2 border-b border-line-1 bg-ink-0 px-10 py-2 max-lg:px-6 phone:px-4"
    >
      <h1 className="flex items-center gap-3 text-lead font-semibold">
        <Mark size={28} />
        Tocsin Admin
      </h1>
      <SystemBadge />
      <div className="ml-auto flex items-center gap-2 phone:order-2">
        <Button variant="ghost" asChild inHeader>
          <Link to={paths.dashboard}>
            <ExternalLink aria-hidden size={16} strokeWidth={2.25} />
            <span className="phone:sr-only">Open dashboard</span>
          </Link>
        </Button>
        <LogoutButton />
      </div>
    </header>
  )
}

function SystemBadge() {
  const { data, isError } = useQuery(queries.status)
  const { tone, words } = healthOf(data, isError)
  return (
    <span role="status" className="min-w-0 phone:order-3 phone:w-full">
      <Badge tone={tone}>{words}</Badge>
    </span>
  )
}

function LogoutButton() {
  const { signOut } = useAuth()
  const navigate = useNavigate()

  const logOut = () => signOut({ forgetAdmin: true, leave: () => navigate({ to: paths.home }) })

  return (
    <Button inHeader onClick={logOut}>
      <LogOut aria-hidden size={16} strokeWidth={2.25} />
      <span className="max-[374px]:sr-only">Logout</span>
    </Button>
  )
}
