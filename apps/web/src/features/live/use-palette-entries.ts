import { useQuery } from '@tanstack/react-query'
import { defaultStringifySearch, useLocation, useNavigate } from '@tanstack/react-router'
import type { Alert } from '@tocsin/protocol'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { useAuth } from '../../session/auth.tsx'
import { usePreferences, useSavePreferences } from '../../session/preferences.ts'
import { chooseTheme } from '../../ui/theme-toggle.tsx'
import { toast } from '../../ui/toast.tsx'
import { useWallet } from '../../wallet/wallet.tsx'
import { searchOf } from '../alert/alert-place.ts'
import { alertQueries } from '../alert/alert-queries.ts'
import { hrefOf, isLocked } from '../alert/alert-words.ts'
import { assetPath } from '../alert/asset-path.ts'
import { filterWords } from '../alert/filter-words.ts'
import { hasControl, runShortcut } from './run-shortcut.ts'
import { type Keys, shortcuts } from './shortcuts.ts'

export interface PaletteEntry {
  label: string
  /** Shown after the label and searched too. */
  detail?: string
  keys?: string
  /** The alert that the entry opens. */
  alert?: Alert
  /** The page that the entry opens. Without it, `run` does something. */
  href?: string
  run?: () => void
}

export interface PaletteGroup {
  heading: 'Pages' | 'Views' | 'Assets' | 'Alerts' | 'Actions'
  entries: PaletteEntry[]
}

/** Everything that the palette offers: pages, recent alerts and their assets, and actions. */
export function usePaletteEntries(): PaletteGroup[] {
  const { isAdmin } = useAuth()
  const { data: recent = [] } = useQuery(queries.recentAlerts)
  const alerts = recent.filter((alert): alert is Alert => !isLocked(alert))
  const assets = [...new Set(alerts.map(({ asset }) => asset))]
  const groups: PaletteGroup[] = [
    { heading: 'Pages', entries: isAdmin ? [...pages, { label: 'Admin area', href: paths.admin }] : pages },
    { heading: 'Views', entries: useViews() },
    {
      heading: 'Assets',
      entries: assets.map((asset) => ({
        label: asset,
        detail: 'Alerts, record and chart',
        href: assetPath(asset),
      })),
    },
    {
      heading: 'Alerts',
      entries: alerts.map((alert) => ({
        label: alert.asset,
        detail: alert.anomalyType,
        alert,
        href: hrefOf(alert.id),
      })),
    },
    { heading: 'Actions', entries: useActions() },
  ]
  return groups.filter(({ entries }) => entries.length > 0)
}

/** Saved views. They open in the list of this page, else on the dashboard. */
function useViews(): PaletteEntry[] {
  const { data: views = [] } = useQuery(alertQueries.views)
  const { pathname } = useLocation()
  const path = pathname === paths.notifications ? paths.notifications : paths.dashboard
  return views.map(({ name, filter }) => ({
    label: name,
    detail: filterWords(filter),
    href: path + defaultStringifySearch(searchOf(filter)),
  }))
}

const pages: PaletteEntry[] = [
  { label: 'Dashboard', href: paths.dashboard, keys: 'g d' },
  { label: 'Notifications', href: paths.notifications, keys: 'g n' },
  { label: 'History', href: paths.history, keys: 'g h' },
  { label: 'Verification', href: paths.verification, keys: 'g v' },
  { label: 'Settings', href: paths.settings, keys: 'g s' },
  { label: 'Channels', href: paths.channels },
  { label: 'Track record', href: paths.trackRecord },
  { label: 'Transparency log', href: paths.transparency },
  { label: 'Documentation', href: paths.documentation },
  { label: 'API reference', href: paths.apiReference },
  { label: 'Contact support', href: paths.contactSupport },
  { label: 'Home', href: paths.home },
]

/** Shortcuts that act on the current page. They are offered only if the page has their control. */
const pageKeys: readonly Keys[] = ['v', 'o', 'w', '/', 's', '.', 'p', 'm']

function useActions(): PaletteEntry[] {
  const { signOut } = useAuth()
  const navigate = useNavigate()
  const { preferences } = usePreferences()
  const save = useSavePreferences()
  const { status, openConnect, disconnect } = useWallet()
  const isCompact = preferences.density === 'compact'
  const ofPage = shortcuts.flatMap(({ keys, label }) =>
    pageKeys.includes(keys) && hasControl(keys) ? [{ label, keys, run: () => void runShortcut(keys) }] : [],
  )
  return [
    ...ofPage,
    { label: 'Use the dark theme', run: () => chooseTheme('dark') },
    { label: 'Use the light theme', run: () => chooseTheme('light') },
    { label: 'Use the theme of the system', run: () => chooseTheme('system') },
    {
      label: isCompact ? 'Use comfortable rows' : 'Use compact rows',
      detail: 'Density',
      run: () => save({ density: isCompact ? 'comfortable' : 'compact' }),
    },
    { label: 'Copy the link of this page', run: () => void copyLink() },
    ...(status === 'disconnected' ? [{ label: 'Connect wallet', run: openConnect }] : []),
    ...(status === 'connected' ? [{ label: 'Disconnect wallet', run: () => void disconnect() }] : []),
    { label: 'Show keyboard shortcuts', keys: '?', run: () => void runShortcut('?') },
    { label: 'Log out', run: () => void signOut({ leave: () => navigate({ to: paths.home }) }) },
  ]
}

async function copyLink(): Promise<void> {
  try {
    await navigator.clipboard.writeText(window.location.href)
    toast({ title: 'Link Copied', variant: 'success' })
  } catch {
    const description = 'The browser did not allow it. Copy the link from the address bar.'
    toast({ title: 'Link Not Copied', description, variant: 'destructive' })
  }
}
