import type { StreamState } from '@tocsin/client'
import { LogOut, Unplug } from 'lucide-react'
import { classNames } from '../ui/class-names.ts'
import { formatCount } from '../ui/count.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Seal } from '../ui/identity/seal.tsx'
import { useNow } from '../ui/now.ts'
import { shortHex } from '../ui/short-hex.ts'
import { Time } from '../ui/time.tsx'

type LiveState = 'live' | 'late' | 'silent' | 'delayed' | 'reconnecting' | 'offline'

const liveLooks: Record<LiveState, { word: string; dot: string }> = {
  live: { word: 'Live', dot: 'bg-ok' },
  late: { word: 'Late', dot: 'bg-medium' },
  silent: { word: 'Disconnected', dot: 'bg-critical' },
  delayed: { word: 'Alerts are delayed', dot: 'bg-medium' },
  reconnecting: { word: 'Reconnecting', dot: 'bg-medium' },
  offline: { word: 'Offline', dot: 'bg-critical' },
}

type LiveStatusProps = {
  state: StreamState
  /** ISO time of the last WebSocket message. */
  lastMessageAt: string | null
  /** ISO time when the connection was lost; null if it is not, or was never there. */
  lostAt: string | null
  /** Only the age of the last message, for the status line. */
  isShort?: boolean
}

/** Connection state of the alert stream and the age of its last message. */
export function LiveStatus({ state, lastMessageAt, lostAt, isShort = false }: LiveStatusProps) {
  const shown = useNow((nowMs) => liveState(state, lastMessageAt, nowMs))
  const { word, dot } = liveLooks[shown]
  return (
    <span role="status" className="flex h-5 min-w-0 flex-wrap items-center gap-2 overflow-hidden whitespace-nowrap">
      <span className="flex items-center gap-2">
        <Dot className={dot} />
        <span className="font-medium">{word}</span>
      </span>
      {(state === 'reconnecting' || state === 'delayed') && lostAt !== null && <LostFor at={lostAt} />}
      {lastMessageAt !== null && <LastMessage at={lastMessageAt} isShort={isShort} />}
    </span>
  )
}

/** The server sends a heartbeat every 20 seconds, so a longer silence means a dead connection. */
const lateMs = 30_000
const silentMs = 60_000

/** The state as shown: a stream that claims to be live is late after 1.5 missed heartbeats. */
export function liveState(state: StreamState, lastMessageAt: string | null, nowMs: number): LiveState {
  const ageMs = lastMessageAt === null ? 0 : nowMs - Date.parse(lastMessageAt)
  if (state !== 'live' || ageMs <= lateMs) return state
  return ageMs <= silentMs ? 'late' : 'silent'
}

/** Time since the connection was lost: "(12 s)". */
function LostFor({ at }: { at: string }) {
  const age = useNow((nowMs) => formatAge(at, nowMs))
  return (
    <span aria-hidden className="text-data text-2">
      ({age})
    </span>
  )
}

function LastMessage({ at, isShort }: { at: string; isShort: boolean }) {
  const age = useNow((nowMs) => formatAge(at, nowMs))
  // Hidden from screen readers, because it changes every second.
  return (
    <span aria-hidden className={classNames('text-2', !isShort && 'lg:max-xl:hidden phone:hidden')}>
      {isShort ? `${age} ago` : `last message ${age} ago`}
    </span>
  )
}

function formatAge(at: string, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(at)) / 1000))
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`
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
        <p className="text-data">{`${formatCount(entries)} ${entries === 1 ? 'entry' : 'entries'}`}</p>
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
  const connected = address !== null
  return (
    <div className="flex w-full items-center gap-3 lg:max-wide:flex-col lg:max-wide:gap-1.5">
      <Dot className={connected ? 'bg-ok' : 'bg-text-3'} />
      <div className="min-w-0 flex-1 lg:max-wide:sr-only">
        <p title={address ?? undefined} className={connected ? 'text-data' : 'text-base'}>
          {connected ? shortHex(address) : 'Not connected'}
        </p>
        <p className="text-hint text-2">{connected ? 'Connected' : 'Disconnected'}</p>
      </div>
      {connected && onDisconnect && <IconButton icon={Unplug} label="Disconnect wallet" onClick={onDisconnect} />}
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
