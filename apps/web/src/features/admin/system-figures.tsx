import { useQuery } from '@tanstack/react-query'
import type { AdminSystem } from '@tocsin/protocol'
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Address } from '../../ui/address.tsx'
import { numberLocale } from '../../ui/locale.ts'
import { Panel } from '../../ui/panel.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { formatFee } from '../../wallet/amount.ts'
import { durationWords } from '../alert/alert-words.ts'
import { adminQueries } from './admin-queries.ts'

/**
 * Keys, balances and storage. Errors are shown by the status panel above, which uses the same
 * query.
 */
export function SystemFigures() {
  const { data } = useQuery(adminQueries.system)
  if (!data) return null
  const { anchor, feed, log, database, payments, signer, version } = data
  return (
    <Panel title="Keys, balances and storage" detail={`Tocsin ${version}`} flush>
      {anchor.isLow && <LowBalance anchor={anchor} />}
      <dl className="grid grid-cols-4 gap-px bg-line-1 max-xl:grid-cols-2 phone:grid-cols-1 [&>*]:bg-ink-1">
        <Cell label="Signing key" detail="Signs every alert">
          <Address value={signer} copy />
        </Cell>
        <Cell
          label="Anchor wallet"
          detail={
            <>
              on {anchor.chainName}, <Address value={anchor.wallet} copy className="text-1" />
            </>
          }
        >
          {anchor.balanceWei === null ? 'Not available' : formatFee(BigInt(anchor.balanceWei))}
        </Cell>
        <Cell label="Anchors left" detail="At the current gas price">
          {anchor.anchorsLeft?.toLocaleString(numberLocale) ?? 'Not available'}
        </Cell>
        <Cell label="Time to anchor" detail="Median of the last 24 h">
          {anchor.medianToAnchorMs === null ? 'Not measured yet' : durationWords(anchor.medianToAnchorMs)}
        </Cell>
        <Cell
          label="Payment chain"
          detail={payments.readAt === null ? 'Not read yet' : <ReadAt at={payments.readAt} />}
        >
          {payments.chainName}
        </Cell>
        <Cell label="Log entries" detail="Alerts, corrections, retractions, keys">
          {log.size.toLocaleString(numberLocale)}
        </Cell>
        <Cell label="Database" detail={`${database.version}, answers in ${database.latencyMs.toFixed(1)} ms`}>
          {sizeWords(database.sizeBytes)}
        </Cell>
        <Cell label="Signals merged" detail={<LastGap gap={feed.lastGap} />}>
          {feed.signalsMerged.toLocaleString(numberLocale)}
        </Cell>
      </dl>
    </Panel>
  )
}

function Cell({ label, detail, children }: { label: string; detail: ReactNode; children: ReactNode }) {
  return (
    <div className="min-w-0 px-5 py-4 phone:px-4 phone:py-3">
      <dt className="text-label text-2">{label}</dt>
      <dd className="mt-1.5 flex min-h-7 items-center font-mono text-body font-medium wrap-anywhere">{children}</dd>
      <dd className="flex min-h-6 flex-wrap items-center gap-x-1 text-hint text-2">{detail}</dd>
    </div>
  )
}

function LowBalance({ anchor }: { anchor: AdminSystem['anchor'] }) {
  return (
    <p
      role="status"
      className="flex items-start gap-3 border-b border-l-2 border-line-1 border-l-medium px-5 py-3 text-base phone:px-4"
    >
      <TriangleAlert aria-hidden size={18} strokeWidth={2} className="mt-0.5 shrink-0 text-medium" />
      <span className="min-w-0 wrap-anywhere">
        {anchorWalletIsLow({
          anchorsLeft: anchor.anchorsLeft,
          chainName: anchor.chainName,
          wallet: anchor.wallet,
        })}
      </span>
    </p>
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
  if (!gap) return 'No gap in the feed since the start'
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

function sizeWords(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${(bytes / 1000 ** step).toFixed(step === 0 ? 0 : 1)} ${units[step]}`
}

function anchorWalletIsLow({
  anchorsLeft,
  chainName,
  wallet,
}: {
  anchorsLeft: number | null
  chainName: string
  wallet: string
}) {
  const count = anchorsLeft?.toLocaleString(numberLocale) ?? 'fewer than 20'
  const anchors = anchorsLeft === 1 ? 'anchor' : 'anchors'
  return `The anchor wallet is low: it has funds for ${count} more ${anchors}. Send coins of ${chainName} to ${wallet}.`
}
