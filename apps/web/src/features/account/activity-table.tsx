import { type Activity, getChain } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { paths } from '../../paths.ts'
import { Address } from '../../ui/address.tsx'
import { HrefLink } from '../../ui/href-link.tsx'
import { useNow } from '../../ui/now.ts'
import { shortenHex } from '../../ui/short-hex.ts'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { useTimeStyle } from '../../ui/time-style.ts'
import { groupByDay } from './activity-days.ts'
import { activityStyles } from './activity-styles.ts'

/**
 * Compact table with three columns. References follow the detail in the same cell, and relative
 * times such as "5 min ago" are omitted.
 */
export function ActivityTable({ rows }: { rows: readonly Activity[] }) {
  return (
    <Table caption="Activity, newest first">
      <TableHeader compact />
      <tbody>
        {rows.map((row) => (
          <Row key={row.id} row={row} compact />
        ))}
      </tbody>
    </Table>
  )
}

/** Full table, grouped by day. On phones the label moves above the detail. */
export function ActivityDays({ rows }: { rows: readonly Activity[] }) {
  const style = useTimeStyle()
  const nowMs = useNow((now) => Math.floor(now / MINUTE_MS) * MINUTE_MS)
  return (
    <Table caption="Activity, newest first">
      <TableHeader compact={false} />
      {groupByDay(rows, nowMs, style).map(({ day, rows: rowsOfDay }) => (
        <tbody key={day}>
          <tr className="border-t border-line-1 bg-ink-0">
            <th scope="rowgroup" colSpan={4} className="h-8 px-5 text-label font-normal text-2 phone:px-4">
              {day}
            </th>
          </tr>
          {rowsOfDay.map((row) => (
            <Row key={row.id} row={row} compact={false} />
          ))}
        </tbody>
      ))}
    </Table>
  )
}

function TableHeader({ compact }: { compact: boolean }) {
  return (
    <thead>
      <tr>
        <Th className="w-px">
          Time <ZoneName />
        </Th>
        <Th className="phone:hidden">Activity</Th>
        <Th>Detail</Th>
        {!compact && <Th className="phone:hidden">Reference</Th>}
      </tr>
    </thead>
  )
}

function Row({ row, compact }: { row: Activity; compact: boolean }) {
  const { icon: Icon, label } = activityStyles[row.kind]
  // Omit a detail that only repeats the label.
  const detail = row.detail === label ? null : row.detail
  return (
    <Tr className="h-14.5 animate-row">
      <Td className="pr-5 align-middle">
        <Time at={row.at} show={compact ? 'exact' : 'clock'} className="block text-data" />
        {!compact && <Time at={row.at} show="relative" className="block text-hint text-2" />}
      </Td>
      <Td className="pr-5 whitespace-nowrap phone:hidden">
        <span className="flex items-center gap-2">
          <Icon aria-hidden size={16} strokeWidth={2.25} className="shrink-0 text-2" />
          {label}
        </span>
      </Td>
      <Td className="py-2 text-2">
        <span className="font-medium text-1 md:hidden">{label}</span>
        <span className="flex flex-wrap items-center gap-x-2 wrap-anywhere">
          {detail}
          <Reference row={row} copy={!compact} className={compact ? undefined : 'md:hidden'} />
        </span>
      </Td>
      {!compact && (
        <Td className="phone:hidden">
          <Reference row={row} copy />
        </Td>
      )}
    </Tr>
  )
}

function Reference({ row, copy, className }: { row: Activity; copy: boolean; className?: string | undefined }) {
  const { kind, reference, chainId } = row
  // The reference of `email_changed` is the former email address. It is not shown, because the
  // detail of the entry already contains the new address.
  if (reference === null || kind === 'email_changed') return null
  if (kind !== 'alert_verified') {
    const explorerUrl = chainId === null ? null : getChain(chainId).explorerUrl
    return (
      <Address
        value={reference}
        copy={copy}
        {...(explorerUrl === null ? {} : { href: `${explorerUrl}/tx/${reference}` })}
        {...(className === undefined ? {} : { className })}
      />
    )
  }
  const href = `${paths.verification}?alert=${encodeURIComponent(reference)}`
  return (
    <span className={className}>
      <HrefLink href={href} title={reference} className="link touch-target text-data">
        {shortenHex(reference)}
      </HrefLink>
    </span>
  )
}
