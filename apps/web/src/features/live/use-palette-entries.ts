import { useQuery } from '@tanstack/react-query'
import { defaultStringifySearch, useLocation, useNavigate } from '@tanstack/react-router'
import type { Alert } from '@tocsin/protocol'
import {
  ArrowUp,
  Bookmark,
  Copy,
  ExternalLink,
  FileText,
  Keyboard,
  LayoutDashboard,
  LogOut,
  type LucideIcon,
  Moon,
  Pause,
  Rows4,
  Search,
  Settings,
  ShieldCheck,
  Star,
  StarOff,
  Sun,
  SunMoon,
  VolumeX,
  Wallet,
} from 'lucide-react'
import { queries } from '../../api/queries.ts'
import { createAlertPath, paths } from '../../paths.ts'
import { useAuth } from '../../session/auth.tsx'
import { usePreferences, useSavePreferences } from '../../session/preferences.ts'
import { formatCount } from '../../ui/count.ts'
import { chooseTheme } from '../../ui/theme-toggle.tsx'
import { toast } from '../../ui/toast.tsx'
import { useWalletField } from '../../wallet/use-wallet-state.ts'
import { useWalletActions } from '../../wallet/wallet.tsx'
import { alertQueries } from '../alert/alert-queries.ts'
import { toSearchParams } from '../alert/alert-search-params.ts'
import { createAlertHref, isLocked } from '../alert/alert-texts.ts'
import { createAssetPath } from '../alert/asset-path.ts'
import { formatFilter } from '../alert/filter-texts.ts'
import { useWatchlist } from '../alert/use-watchlist.ts'
import type { VenueMarket } from '../market/issue-price.ts'
import { formatAnomalyType } from '../prediction/prediction-names.ts'
import { isMuted } from './mute.ts'
import { filterEntries, matchesText } from './palette-match.ts'
import { activateControl, hasControl, listVisibleElements, runShortcut } from './run-shortcut.ts'
import { type ShortcutKeys, shortcuts } from './shortcuts.ts'

interface EntryContent {
  label: string
  /** Shown after the label. The search covers it too. */
  detail?: string
  icon?: LucideIcon
  isStarred?: boolean
  keys?: string
  /** The alert that the entry opens. */
  alert?: Alert
  /** The market whose newest price the entry shows. */
  venueMarket?: VenueMarket | undefined
  /** The page that the entry opens. An entry without it calls `run`. */
  href?: string
  run?: () => void
}

/** An entry of the palette. `searchText` is the text that is searched and identifies the entry. */
export type PaletteEntry = EntryContent & { searchText: string }

type Heading = 'Assets' | 'Alerts' | 'Views' | 'Actions' | 'Pages'

export interface PaletteGroup {
  heading: Heading
  entries: PaletteEntry[]
}

/**
 * Returns the entries that match the search text: assets, recent alerts, saved views, actions and
 * pages.
 */
export function usePaletteEntries(text: string): PaletteGroup[] {
  const { isAdmin } = useAuth()
  const { data: recent = [] } = useQuery(queries.recentAlerts)
  const { data: facets } = useQuery(alertQueries.facets)
  const { watchlist } = useWatchlist()
  const alerts = recent.filter((alert): alert is Alert => !isLocked(alert))
  // Oldest first, so that an asset gets the market of its newest prediction.
  const predictions = alerts.flatMap(({ asset, prediction }) => (prediction ? [[asset, prediction] as const] : []))
  const venueMarkets = new Map(predictions.reverse())
  const assetNames = [...new Set([...watchlist, ...alerts.map(({ asset }) => asset), ...(facets?.assets ?? [])])]
  const assets = assetNames.map((asset): EntryContent => {
    const isStarred = watchlist.includes(asset)
    const detail = isStarred ? 'On your watchlist' : 'Alerts, record and chart'
    return {
      label: asset,
      detail,
      icon: Star,
      isStarred,
      venueMarket: venueMarkets.get(asset),
      href: createAssetPath(asset),
    }
  })
  const openAlert = findOpenAlert()
  const matchedAsset = text.trim() === '' ? undefined : assetNames.find((name) => matchesText(name, text))
  const groups = [
    { heading: 'Assets', entries: assets },
    {
      heading: 'Alerts',
      entries: alerts.map((alert) => ({
        label: alert.asset,
        detail: formatAnomalyType(alert),
        alert,
        href: createAlertHref(alert.id),
      })),
    },
    { heading: 'Views', entries: useViewEntries() },
    { heading: 'Actions', entries: [...useAssetActions(matchedAsset, openAlert), ...useActionEntries(openAlert)] },
    { heading: 'Pages', showsAllInitially: true, entries: isAdmin ? [...pageLinks, adminArea] : pageLinks },
  ] as const
  return filterEntries(
    groups.map(({ heading, entries, ...rest }) => ({
      ...rest,
      heading,
      entries: entries.map((entry): PaletteEntry => ({ ...entry, searchText: createSearchText(entry, heading) })),
    })),
    text,
  )
}

function createSearchText({ label, detail = '', alert }: EntryContent, heading: Heading): string {
  const searchDetails = alert ? `#${formatCount(alert.logIndex)} ${alert.priority} ${alert.id}` : heading
  return `${label} ${detail} ${searchDetails}`
}

/**
 * Returns entries for the saved views. A view opens on the notifications page if that is the
 * current page, else on the dashboard.
 */
function useViewEntries(): EntryContent[] {
  const { data: views = [] } = useQuery(alertQueries.views)
  const { pathname } = useLocation()
  const path = pathname === paths.notifications ? paths.notifications : paths.dashboard
  return views.map(({ name, filter }) => ({
    label: name,
    detail: formatFilter(filter),
    icon: Bookmark,
    href: path + defaultStringifySearch(toSearchParams(filter)),
  }))
}

const pageLinks: EntryContent[] = [
  { label: 'Dashboard', href: paths.dashboard, icon: LayoutDashboard, keys: 'g d' },
  { label: 'Notifications', href: paths.notifications, keys: 'g n' },
  { label: 'History', href: paths.history, keys: 'g h' },
  { label: 'Verification', href: paths.verification, icon: ShieldCheck, keys: 'g v' },
  { label: 'Settings', href: paths.settings, icon: Settings, keys: 'g s' },
  { label: 'Channels', href: paths.channels },
  { label: 'Track record', href: paths.trackRecord },
  { label: 'Transparency log', href: paths.transparency },
  { label: 'Documentation', href: paths.documentation },
  { label: 'API reference', href: paths.apiReference },
  { label: 'Contact support', href: paths.contactSupport },
  { label: 'Home', href: paths.home },
].map((page) => ({ icon: FileText, ...page }))
const adminArea: EntryContent = { label: 'Admin area', href: paths.admin, icon: FileText }

interface OpenAlert {
  logIndex: number
  asset: string
}

/** Returns the alert whose detail is on the screen, or null. */
function findOpenAlert(): OpenAlert | null {
  const { openAlert, asset } = listVisibleElements('[data-open-alert]')[0]?.dataset ?? {}
  return openAlert === undefined || asset === undefined ? null : { logIndex: Number(openAlert), asset }
}

/**
 * Returns actions for the first asset that the search text names, or else for the asset of the open
 * alert.
 */
function useAssetActions(namedAsset: string | undefined, openAlert: OpenAlert | null): EntryContent[] {
  const { watchlist, isKnown, toggle } = useWatchlist()
  const asset = namedAsset ?? openAlert?.asset
  if (asset === undefined || !isKnown) return []
  const isStarred = watchlist.includes(asset)
  return [
    {
      label: isStarred ? `Remove ${asset} from the watchlist` : `Add ${asset} to the watchlist`,
      detail: 'Star',
      icon: isStarred ? StarOff : Star,
      ...(asset === openAlert?.asset ? { keys: 'w' } : {}),
      run: () => toggle(asset),
    },
  ]
}

/**
 * Icons of the shortcuts of pages. The palette offers such a shortcut only if the page has its
 * control.
 */
const keyIcons: Partial<Record<ShortcutKeys, LucideIcon>> = {
  ...{ v: ShieldCheck, o: ExternalLink, w: Star, '/': Search, s: Bookmark, '.': ArrowUp, p: Pause, m: VolumeX },
}

function useActionEntries(openAlert: OpenAlert | null): EntryContent[] {
  const { signOut } = useAuth()
  const navigate = useNavigate()
  const { preferences } = usePreferences()
  const save = useSavePreferences()
  const { openConnect, disconnect } = useWalletActions()
  const status = useWalletField('status')
  const isCompact = preferences.density === 'compact'
  const pageActions = shortcuts.flatMap(({ keys, label }) =>
    keys in keyIcons && hasControl(keys) && !(keys === 'w' && openAlert)
      ? [
          {
            label: keys === 'm' ? getMuteLabel() : label,
            keys,
            icon: keyIcons[keys] ?? FileText,
            run: () => void activateControl(keys),
          },
        ]
      : [],
  )
  return [
    ...pageActions,
    { label: 'Use the dark theme', icon: Moon, run: () => chooseTheme('dark') },
    { label: 'Use the light theme', icon: Sun, run: () => chooseTheme('light') },
    { label: 'Use the theme of the system', icon: SunMoon, run: () => chooseTheme('system') },
    {
      label: isCompact ? 'Use comfortable rows' : 'Use compact rows',
      detail: 'Density',
      icon: Rows4,
      run: () => save({ density: isCompact ? 'comfortable' : 'compact' }),
    },
    ...(openAlert
      ? [
          {
            label: `Copy the public link of #${formatCount(openAlert.logIndex)}`,
            detail: openAlert.asset,
            icon: Copy,
            run: () => void copyLink(location.origin + createAlertPath(openAlert.logIndex)),
          },
        ]
      : []),
    { label: 'Copy the link of this page', icon: Copy, run: () => void copyLink(location.href) },
    ...(status === 'disconnected' ? [{ label: 'Connect wallet', icon: Wallet, run: openConnect }] : []),
    ...(status === 'connected' ? [{ label: 'Disconnect wallet', icon: Wallet, run: () => void disconnect() }] : []),
    { label: 'Show keyboard shortcuts', keys: '?', icon: Keyboard, run: () => void runShortcut('?') },
    { label: 'Log out', icon: LogOut, run: () => void signOut({ leave: () => navigate({ to: paths.home }) }) },
  ]
}

const getMuteLabel = () => (isMuted() ? 'Unmute sound' : 'Mute sound')

async function copyLink(link: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(link)
    toast({ title: 'Link Copied', variant: 'success' })
  } catch {
    const description = `The browser did not allow access to the clipboard. Copy this link yourself: ${link}`
    toast({ title: 'Link Not Copied', description, variant: 'destructive' })
  }
}
