import { useQuery } from '@tanstack/react-query'
import type { AdminSystem } from '@tocsin/protocol'
import { Address } from '../../ui/address.tsx'
import { formatCount, formatCountOf } from '../../ui/count.ts'
import { Panel } from '../../ui/panel.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { formatAmount } from '../../wallet/amount.ts'
import { formatDuration } from '../alert/alert-texts.ts'
import { adminQueries } from './admin-queries.ts'
import { FigureCell, FigureGrid, PanelWarning } from './figure-cell.tsx'

/**
 * Figures of keys, balances and storage. Shows no errors, because the status panel above uses the
 * same query and shows them.
 */
export function SystemFigures() {
  const { data } = useQuery(adminQueries.system)
  if (!data) return null
  const { anchor, feed, log, database, payments, signer, version } = data
  return (
    <Panel title="Keys, balances and storage" detail={`Tocsin ${version}`} flush>
      {anchor.isLow && <PanelWarning>{formatLowBalance(anchor)}</PanelWarning>}
      <FigureGrid>
        <FigureCell label="Signing key" detail="Signs every alert">
          <Address value={signer} copy />
        </FigureCell>
        <FigureCell
          label="Anchor wallet"
          detail={
            <>
              on {anchor.chainName}, <Address value={anchor.wallet} copy className="text-1" />
            </>
          }
        >
          {anchor.balanceWei === null ? 'Not available' : formatAmount(BigInt(anchor.balanceWei), 4, 'down')}
        </FigureCell>
        <FigureCell label="Anchors funded" detail="At the current gas price">
          {anchor.anchorsLeft === null ? 'Not available' : formatCount(anchor.anchorsLeft)}
        </FigureCell>
        <FigureCell label="Time to anchor" detail="Median of the last 24 h">
          {anchor.medianToAnchorMs === null ? 'Not measured yet' : formatDuration(anchor.medianToAnchorMs)}
        </FigureCell>
        <FigureCell
          label="Payment chain"
          detail={payments.readAt === null ? 'Not read yet' : <ReadAt at={payments.readAt} />}
        >
          {payments.chainName}
        </FigureCell>
        <FigureCell label="Log entries" detail="Of all kinds, heartbeats included">
          {formatCount(log.size)}
        </FigureCell>
        <FigureCell label="Database" detail={`${database.version}, responds in ${database.latencyMs.toFixed(1)} ms`}>
          {formatBytes(database.sizeBytes)}
        </FigureCell>
        <FigureCell label="Repeated signals merged" detail={<LastGap gap={feed.lastGap} />}>
          {formatCount(feed.signalsMerged)}
        </FigureCell>
      </FigureGrid>
    </Panel>
  )
}

function ReadAt({ at }: { at: string }) {
  return (
    <>
      Read <Time at={at} mono={false} />
    </>
  )
}

function LastGap({ gap }: { gap: AdminSystem['feed']['lastGap'] }) {
  if (!gap) return 'No feed gap recorded'
  const from = <Time at={gap.from} />
  const zone = <ZoneName />
  return gap.to === null ? (
    <>
      Gap since {from} {zone}
    </>
  ) : (
    <>
      Last gap {from} to <Time at={gap.to} /> {zone}
    </>
  )
}

function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${(bytes / 1000 ** step).toFixed(step === 0 ? 0 : 1)} ${units[step]}`
}

function formatLowBalance({ anchorsLeft, chainName, wallet }: AdminSystem['anchor']): string {
  const anchorCount = anchorsLeft === null ? 'fewer than 20 more anchors' : formatCountOf(anchorsLeft, 'more anchor')
  return `The anchor wallet is low: it has funds for ${anchorCount}. Send coins of ${chainName} to ${wallet}.`
}
