import { Link } from '@tanstack/react-router'
import { Bell, History, House, LayoutDashboard, type LucideIcon, Settings, ShieldCheck } from 'lucide-react'
import { paths } from '../paths.ts'
import { CountBadge } from '../ui/badge.tsx'

type Entry = {
  to: (typeof paths)['home' | 'dashboard' | 'notifications' | 'history' | 'verification' | 'settings']
  label: string
  icon: LucideIcon
  /** Keyboard shortcut. */
  keys?: string
}

const entries: readonly Entry[] = [
  { to: paths.home, label: 'Home', icon: House },
  { to: paths.dashboard, label: 'Dashboard', icon: LayoutDashboard, keys: 'g d' },
  { to: paths.notifications, label: 'Notifications', icon: Bell, keys: 'g n' },
  { to: paths.history, label: 'History', icon: History, keys: 'g h' },
  { to: paths.verification, label: 'Verification', icon: ShieldCheck, keys: 'g v' },
  { to: paths.settings, label: 'Settings', icon: Settings, keys: 'g s' },
]

type NavigationProps = { unread: number }

export function SidebarNavigation({ unread }: NavigationProps) {
  return (
    <nav aria-label="Main" className="flex flex-col px-2 py-3">
      {entries.map(({ to, label, icon: Icon, keys }) => (
        <Link
          key={to}
          to={to}
          title={label}
          data-keys={keys}
          activeOptions={{ exact: to === paths.home }}
          className="focus-inset group relative flex h-10 items-center gap-3 rounded-control px-3 text-base forced-colors:data-[status=active]:outline-2 forced-colors:data-[status=active]:-outline-offset-2 max-wide:justify-center font-medium text-2 transition-[background-color,color] hover:bg-ink-1 hover:text-1 data-[status=active]:bg-ink-2 data-[status=active]:text-1"
        >
          <span
            aria-hidden
            className="absolute inset-y-2 -left-2 hidden w-0.5 bg-signal group-data-[status=active]:block"
          />
          <Icon aria-hidden size={16} strokeWidth={2.25} />
          <span className="max-wide:sr-only">{label}</span>
          {to === paths.notifications && (
            <CountBadge
              count={unread}
              label="unread"
              className="ml-auto max-wide:absolute max-wide:top-0 max-wide:right-0 max-wide:h-4 max-wide:min-w-4"
            />
          )}
        </Link>
      ))}
    </nav>
  )
}

export function MobileNavigation({ unread }: NavigationProps) {
  return (
    <nav
      aria-label="Main"
      className="sticky bottom-0 z-20 grid grid-cols-6 border-t border-line-1 bg-ink-1 pb-[env(safe-area-inset-bottom)]"
    >
      {entries.map(({ to, label, icon: Icon, keys }) => (
        <Link
          key={to}
          to={to}
          data-keys={keys}
          activeOptions={{ exact: to === paths.home }}
          className="focus-inset group relative flex h-16 min-w-0 flex-col items-center justify-center gap-1 text-2 data-[status=active]:text-1 forced-colors:data-[status=active]:outline-2 forced-colors:data-[status=active]:-outline-offset-2"
        >
          <span
            aria-hidden
            className="absolute inset-x-2 -top-px hidden h-0.5 bg-signal group-data-[status=active]:block"
          />
          <span className="relative">
            <Icon aria-hidden size={20} strokeWidth={1.8} />
            {to === paths.notifications && (
              <CountBadge count={unread} label="unread" className="absolute -top-2 left-3 h-4 min-w-4" />
            )}
          </span>
          <span className="line-clamp-2 max-w-full text-center text-[11px]/3.5 tracking-[-0.01em] wrap-anywhere [font-stretch:75%]">
            {label}
          </span>
        </Link>
      ))}
    </nav>
  )
}
