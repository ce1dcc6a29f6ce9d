import type { StreamState } from '@tocsin/client'
import { LogOut, Unplug } from 'lucide-react'
import { classNames } from '../ui/class-names.ts'
import { formatCountOf } from '../ui/count.ts'
import { formatAge } from '../ui/format-duration.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Seal } from '../ui/identity/seal.tsx'
import { useNow } from '../ui/now.ts'
import { shortenHex } from '../ui/short-hex.ts'
import { Time } from '../ui/time.tsx'

type LiveState = 'live' | 'late' | 'silent' | 'delayed' | 'reconnecting' | 'offline'

const warningIconPath = 'M6 1.5 11 10.5H1Z'
const disconnectedIconPath = 'M2 2 10 10M10 2 2 10'
/**
 * Label, colour and icon of each state. `mark` is the SVG path of the icon in a 12 x 12 box; the
 * icon distinguishes the states without colour. Null if the state is shown with a dot instead.
 */
const liveStyles: Record<LiveState, { word: string; tone: string; mark: string | null }> = {
  live: { word: 'Live', tone: 'bg-ok', mark: null },
  late: { word: 'Late', tone: 'text-medium', mark: warningIconPath },
  silent: { word: 'Disconnected', tone: 'text-critical', mark: disconnectedIconPath },
  delayed: { word: 'Alerts are delayed', tone: 'text-medium', mark: warningIconPath },
  reconnecting: { word: 'Reconnecting', tone: 'text-medium', mark: warningIconPath },
  offline: { word: 'Offline', tone: 'text-critical', mark: disconnectedIconPath },
}

type LiveStatusProps = {
  state: StreamState
  /** ISO time of the last WebSocket message. */
  lastMessageAt: string | null
  /**
   * ISO time when the connection was lost; null while connected, and if there never was a
   * connection.
   */
  lostAt: string | null
  /** Shows "12 s ago" instead of "last message 12 s ago", for the status line. */
  isShort?: boolean
}

/** Connection state of the alert stream and the age of its last message. */
export function LiveStatus({ state, lastMessageAt, lostAt, isShort = false }: LiveStatusProps) {
  const shownState = useNow((nowMs) => getLiveState(state, lastMessageAt, nowMs))
  const { word, tone, mark } = liveStyles[shownState]
  return (
    <span role="status" className="flex h-5 min-w-0 flex-wrap items-center gap-2 overflow-hidden whitespace-nowrap">
      <span className="flex items-center gap-2">
        {mark === null ? <Dot className={tone} /> : <StateMark path={mark} className={tone} />}
        <span className="font-medium">{word}</span>
      </span>
      {(state === 'reconnecting' || state === 'delayed') && lostAt !== null && <LostFor at={lostAt} />}
      {lastMessageAt !== null && <LastMessage at={lastMessageAt} isShort={isShort} />}
    </span>
  )
}

function StateMark({ path, className }: { path: string; className: string }) {
  return (
    <svg aria-hidden viewBox="0 0 12 12" width={10} height={10} className={classNames('shrink-0', className)}>
      <path d={path} fill="none" stroke="currentColor" strokeWidth={2} />
    </svg>
  )
}

/**
 * Ages of the last message from which the stream is shown as late or silent. The server sends a
 * heartbeat every 10 seconds, and the stream reconnects after 18 seconds without a message.
 */
const lateAfterMs = 15_000
const silentAfterMs = 30_000

/**
 * Returns the state to show. A live stream is late after 1.5 heartbeat intervals without a message.
 * A live or reconnecting stream is silent after three. Other states are shown unchanged; a delayed
 * stream still receives heartbeats.
 */
export function getLiveState(state: StreamState, lastMessageAt: string | null, nowMs: number): LiveState {
  const ageMs = lastMessageAt === null ? 0 : nowMs - Date.parse(lastMessageAt)
  if (ageMs > silentAfterMs && (state === 'live' || state === 'reconnecting')) return 'silent'
  return state === 'live' && ageMs > lateAfterMs ? 'late' : state
}

/** Time since the connection was lost: "(12 s)". */
function LostFor({ at }: { at: string }) {
  const age = useNow((nowMs) => formatAge(nowMs - Date.parse(at)))
  return (
    <span aria-hidden className="text-data text-2">
      ({age})
    </span>
  )
}

function LastMessage({ at, isShort }: { at: string; isShort: boolean }) {
  const age = useNow((nowMs) => formatAge(nowMs - Date.parse(at)))
  // Hidden from screen readers, because it changes every second.
  return (
    <span aria-hidden className={classNames('text-2', !isShort && 'lg:max-xl:hidden phone:hidden')}>
      {isShort ? `${age} ago` : `last message ${age} ago`}
    </span>
  )
}

/** A 6 px coloured dot. Always show the state as text beside it. */
export function Dot({ className }: { className: string }) {
  return <span aria-hidden className={classNames('size-1.5 shrink-0 rounded-full', className)} />
}

type LogStatusProps = {
  /** Number of log entries of all kinds. */
  entries: number
  /** Time of the last anchoring block (ISO) and the anchored root. */
  anchor: { at: string; root: string } | null
}

/** State of the log, at the bottom of the sidebar. The seal shows the last anchored root. */
export function LogStatus({ entries, anchor }: LogStatusProps) {
  const root = anchor?.root ?? ''
  return (
    <div className="flex items-center gap-3">
      <Seal leafHash={root} root={root} state={anchor ? 'anchored' : 'unsigned'} size={40} />
      <div className="lg:max-wide:sr-only">
        <p className="text-data">{formatCountOf(entries, 'entry', 'entries')}</p>
        <p className="text-hint text-2">
          {anchor ? (
            <>
              Log anchored <Time at={anchor.at} mono={false} />
            </>
          ) : (
            'Not yet anchored'
          )}
        </p>
      </div>
    </div>
  )
}

type WalletStatusProps = { address: string | null; onDisconnect?: () => void }

/** State of the wallet, at the bottom of the sidebar. */
export function WalletStatus({ address, onDisconnect }: WalletStatusProps) {
  const isConnected = address !== null
  return (
    <div className="flex w-full items-center gap-3 lg:max-wide:flex-col lg:max-wide:gap-1.5">
      <Dot className={isConnected ? 'bg-ok' : 'bg-text-3'} />
      <div className="min-w-0 flex-1 lg:max-wide:sr-only">
        <p title={address ?? undefined} className={isConnected ? 'text-data' : 'text-base'}>
          {isConnected ? shortenHex(address) : 'Not connected'}
        </p>
        <p className="text-hint text-2">{isConnected ? 'Connected' : 'Disconnected'}</p>
      </div>
      {isConnected && onDisconnect && <IconButton icon={Unplug} label="Disconnect wallet" onClick={onDisconnect} />}
    </div>
  )
}

/** "Welcome, {name}" and the logout button. */
export function Welcome({ name, onLogout }: { name: string; onLogout: () => void }) {
  return (
    <>
      <span title={name} className="min-w-0 truncate text-base text-2 lg:max-w-56 phone:text-body">
        Welcome, <span className="text-1 phone:font-semibold">{name}</span>
      </span>
      <button
        type="button"
        onClick={onLogout}
        className="touch-target inline-flex h-8 shrink-0 items-center gap-2 rounded-control px-2 text-base font-medium text-2 transition-[background-color,color] hover:bg-ink-3 hover:text-1 active:bg-ink-2"
      >
        <LogOut aria-hidden size={16} strokeWidth={2.25} />
        Logout
      </button>
    </>
  )
}
