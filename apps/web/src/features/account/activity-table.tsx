import type { Activity } from '@tocsin/protocol'
import { paths } from '../../paths.ts'
import { Address } from '../../ui/address.tsx'
import { HrefLink } from '../../ui/href-link.tsx'
import { shortHex } from '../../ui/short-hex.ts'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { activityLooks } from './activity-looks.ts'

interface ActivityTableProps {
  rows: readonly Activity[]
  /** Three columns: the reference follows the detail, and times are without their age. */
  compact?: boolean
}

/** Activity of an account, in the order given. On phones the activity's words stand over its detail. */
export function ActivityTable({ rows, compact = false }: ActivityTableProps) {
  return (
    <Table caption="Activity, newest first">
      <thead>
        <tr>
          <Th className="w-px">Time UTC</Th>
          <Th className="phone:hidden">Activity</Th>
          <Th>Detail</Th>
          {!compact && <Th className="phone:hidden">Reference</Th>}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.id} row={row} compact={compact} />
        ))}
      </tbody>
    </Table>
  )
}

function Row({ row, compact }: { row: Activity; compact: boolean }) {
  const { icon: Icon, words } = activityLooks[row.kind]
  // Some details only repeat the words of their kind.
  const detail = row.detail === words ? null : row.detail
  return (
    <Tr className="h-14.5 animate-row">
      <Td className="pr-5 align-middle">
        <Time at={row.at} className="block text-data" />
        {!compact && <Time at={row.at} show="relative" className="block text-hint text-2" />}
      </Td>
      <Td className="pr-5 whitespace-nowrap phone:hidden">
        <span className="flex items-center gap-2">
          <Icon aria-hidden size={16} strokeWidth={2.25} className="shrink-0 text-2" />
          {words}
        </span>
      </Td>
      <Td className="py-2 text-2">
        <span className="font-medium text-1 md:hidden">{words}</span>
        <span className="flex flex-wrap items-center gap-x-2">
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
  if (row.reference === null) return null
  if (row.kind !== 'alert_verified') {
    return <Address value={row.reference} copy={copy} {...(className === undefined ? {} : { className })} />
  }
  const href = `${paths.verification}?alert=${encodeURIComponent(row.reference)}`
  return (
    <span className={className}>
      <HrefLink href={href} title={row.reference} className="link touch-target text-data">
        {shortHex(row.reference)}
      </HrefLink>
    </span>
  )
}
