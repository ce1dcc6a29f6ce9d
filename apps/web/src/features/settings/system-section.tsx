import { useQuery } from '@tanstack/react-query'
import type { PublicConfig, SystemStatus } from '@tocsin/protocol'
import { queries } from '../../api/queries.ts'
import { useStreamStatus } from '../../stream/stream-status.ts'
import { Address } from '../../ui/address.tsx'
import { Badge, type BadgeTone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { formatCount } from '../../ui/count.ts'
import { KeyValue, KeyValueList } from '../../ui/key-value.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'

/** Configuration and current status of the server. */
export function SystemSection() {
  const config = useQuery(queries.config)
  const status = useQuery(queries.status)
  return (
    <Panel title="System information" actions={config.data?.demo ? <Badge plain>Demo</Badge> : undefined}>
      {config.data && <Configuration config={config.data} />}
      {status.data && <Status status={status.data} />}
      {config.isPending && <PendingRows />}
      {status.isPending && <PendingRows className="mt-8" />}
      {(config.isError || (status.isError && !status.data)) && (
        <div role="alert" className="flex flex-wrap items-center gap-3 pt-3 text-base">
          Some information could not be loaded.
          <Button
            onClick={() => {
              void config.refetch()
              void status.refetch()
            }}
          >
            Try again
          </Button>
        </div>
      )}
    </Panel>
  )
}

/** Placeholder with the height of seven rows. */
function PendingRows({ className }: { className?: string }) {
  return (
    <div role="status" aria-label="Loading system information" className={classNames('h-57.5', className)}>
      <Skeleton className="h-full" />
    </div>
  )
}

function Configuration({ config }: { config: PublicConfig }) {
  const { chain, anchor } = config
  return (
    <KeyValueList>
      <KeyValue label="Version">{config.version}</KeyValue>
      <KeyValue label="Payment chain">
        {chain.name} ({chain.id})
      </KeyValue>
      <KeyValue label={`Token ${config.token.symbol}`}>
        <Address value={config.token.address} copy />
      </KeyValue>
      <KeyValue label="Treasury">
        <Address value={config.treasury} copy />
      </KeyValue>
      <KeyValue label="Alert signer">
        <Address value={config.signer} copy />
      </KeyValue>
      <KeyValue label="Anchor chain">
        {anchor.chainName} ({anchor.chainId})
      </KeyValue>
      <KeyValue label="Anchor contract">
        <Address value={anchor.contract} copy />
      </KeyValue>
    </KeyValueList>
  )
}

const feedBadges: Record<SystemStatus['feed']['state'], { tone: BadgeTone; label: string }> = {
  off: { tone: 'neutral', label: 'Off' },
  connecting: { tone: 'medium', label: 'Connecting' },
  connected: { tone: 'ok', label: 'Connected' },
  stale: { tone: 'medium', label: 'Not responding' },
  reconnecting: { tone: 'medium', label: 'Reconnecting' },
  failed: { tone: 'critical', label: 'Failed' },
}

const anchorBadges: Record<SystemStatus['anchor']['state'], { tone: BadgeTone; label: string }> = {
  current: { tone: 'ok', label: 'Current' },
  delayed: { tone: 'medium', label: 'Delayed' },
  stopped: { tone: 'critical', label: 'Stopped' },
}

const streamLabels = {
  live: 'Live',
  delayed: 'Delayed',
  reconnecting: 'Reconnecting',
  offline: 'Offline',
}

function Status({ status: { feed, stream, anchor, startedAt } }: { status: SystemStatus }) {
  const { tone, label } = feedBadges[feed.state]
  const { state, isNeeded, lastMessageAt } = useStreamStatus()
  return (
    <KeyValueList className="mt-4 border-t border-line-2 pt-4">
      <KeyValue label="Running since">
        <Time at={startedAt} show="date" /> <ZoneName />
      </KeyValue>
      <KeyValue label="Signal feed" plain>
        <Badge tone={tone}>{label}</Badge>
      </KeyValue>
      {feed.signalsReceived !== null && (
        <>
          <KeyValue label="Signals received">{formatCount(feed.signalsReceived)}</KeyValue>
          <KeyValue label="Last signal" plain>
            {feed.lastSignalAt ? <Time at={feed.lastSignalAt} show="relative" /> : 'none yet'}
          </KeyValue>
        </>
      )}
      <KeyValue label="This page’s stream" plain>
        {isNeeded ? streamLabels[state] : 'Not open'}
        {isNeeded && lastMessageAt !== null && (
          <>
            , last message <Time at={lastMessageAt} />
          </>
        )}
      </KeyValue>
      <KeyValue label="Live connections">{formatCount(stream.connected)}</KeyValue>
      <KeyValue label="Anchoring" plain>
        <Badge tone={anchorBadges[anchor.state].tone}>{anchorBadges[anchor.state].label}</Badge>
      </KeyValue>
      <KeyValue label="Last anchor" plain>
        {anchor.lastAnchoredAt ? <Time at={anchor.lastAnchoredAt} show="relative" /> : 'none yet'}
      </KeyValue>
    </KeyValueList>
  )
}
