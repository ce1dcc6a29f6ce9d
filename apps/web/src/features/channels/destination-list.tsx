import type { Destination } from '@tocsin/protocol'
import { BellRing, Hash, type LucideIcon, Mail, MessageSquare, Send, Smartphone, Webhook } from 'lucide-react'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { useNow } from '../../ui/now.ts'
import { Time } from '../../ui/time.tsx'
import { createBadge, formatDeliveredShare, formatSeconds, kindNames, needsConfirmation } from './channel-texts.ts'
import { formatDeliverySettings } from './rule-texts.ts'

const kindIcons: Record<Destination['kind'], LucideIcon> = {
  'web-push': Smartphone,
  webhook: Webhook,
  discord: MessageSquare,
  slack: Hash,
  ntfy: BellRing,
  telegram: Send,
  email: Mail,
}

const columns = 'md:grid-cols-[20px_minmax(0,1fr)_112px_104px_60px_64px_72px]'

interface DestinationListProps {
  destinations: readonly Destination[]
  selectedId: string | undefined
  /** Id of the web push destination of this browser. Null if it has none. */
  ownId: string | null
  /** Id of the destination whose test is running. */
  testingId: string | null
  onSelect: (id: string) => void
  onTest: (destination: Destination) => void
}

/** Lists the destinations with their state and health, as rows, or as cards on phones. */
export function DestinationList({
  destinations,
  selectedId,
  ownId,
  testingId,
  onSelect,
  onTest,
}: DestinationListProps) {
  return (
    <>
      <div
        aria-hidden
        className={`hidden h-8 items-center gap-3 border-b border-line-1 px-5 text-label text-2 md:grid ${columns}`}
      >
        <span className="col-start-2">Destination</span>
        <span>State</span>
        <span>Last</span>
        <span className="text-right">Median</span>
        <span className="text-right whitespace-nowrap">7 days</span>
      </div>
      <ul aria-label="Destinations" className="divide-y divide-line-1">
        {destinations.map((destination) => (
          <Row
            key={destination.id}
            destination={destination}
            isSelected={destination.id === selectedId}
            isOwn={destination.id === ownId}
            isTesting={destination.id === testingId}
            onSelect={() => onSelect(destination.id)}
            onTest={() => onTest(destination)}
          />
        ))}
      </ul>
    </>
  )
}

interface RowProps {
  destination: Destination
  isSelected: boolean
  isOwn: boolean
  isTesting: boolean
  onSelect: () => void
  onTest: () => void
}

function Row({ destination, isSelected, isOwn, isTesting, onSelect, onTest }: RowProps) {
  const { kind, name, host, state, lastDeliveredAt, medianMs, mutedUntil } = destination
  const isMuted = useNow((nowMs) => state === 'on' && mutedUntil !== null && Date.parse(mutedUntil) > nowMs)
  const { tone, word } = createBadge(destination)
  const Icon = kindIcons[kind]
  return (
    <li
      className={classNames(
        'relative grid min-h-14 grid-cols-[20px_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1 px-5 py-2 phone:px-4 phone:py-3',
        columns,
        isSelected
          ? 'bg-ink-2 after:absolute after:inset-y-0 after:right-0 after:w-0.5 after:bg-text-1'
          : 'hover:bg-ink-2/60',
      )}
    >
      <Icon aria-hidden size={16} strokeWidth={2.25} className="text-2" />
      <div className="min-w-0">
        {/* The button covers the whole row, so that a click anywhere in the row selects it. */}
        <button
          type="button"
          aria-current={isSelected || undefined}
          onClick={onSelect}
          className="focus-inset max-w-full text-left text-base wrap-anywhere before:absolute before:inset-0"
        >
          <span className="font-semibold">{kindNames[kind]}</span>{' '}
          <span className={classNames('text-2', state === 'gone' && 'line-through')}>{name}</span>
        </button>
        <p className="text-hint wrap-anywhere text-2">
          {isOwn && 'This device, '}
          {needsConfirmation(destination) ? host : formatDeliverySettings(destination)}
        </p>
      </div>
      <Badge tone={isMuted ? 'neutral' : tone} className="justify-self-start">
        {isMuted && mutedUntil !== null ? (
          <>
            Muted to <Time at={mutedUntil} mono={false} />
          </>
        ) : (
          word
        )}
      </Badge>
      <p className="col-span-2 col-start-1 text-hint text-2 md:contents">
        <span className="md:hidden">Last </span>
        <span className="text-data text-1 md:justify-self-start">
          {lastDeliveredAt ? <Time at={lastDeliveredAt} /> : <None />}
        </span>
        <span className="md:hidden">, median </span>
        <span className="text-data whitespace-nowrap text-1 md:text-right">
          {medianMs === null ? <None /> : formatSeconds(medianMs)}
        </span>
        <span className="md:hidden">, 7 days </span>
        <span className="text-data whitespace-nowrap text-1 md:text-right">{formatDeliveredShare(destination)}</span>
      </p>
      {!needsConfirmation(destination) && (
        <Button
          size="sm"
          busy={isTesting}
          aria-label={`Test ${name}`}
          onClick={onTest}
          className="z-1 justify-self-stretch phone:h-9 phone:px-4"
        >
          {isTesting ? 'Sending…' : 'Test'}
        </Button>
      )}
    </li>
  )
}

function None() {
  return (
    <>
      <span aria-hidden>—</span>
      <span className="sr-only">none yet</span>
    </>
  )
}
