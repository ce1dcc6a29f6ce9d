import type { EngineStatus } from '@tocsin/protocol'
import { formatCount } from '../../ui/count.ts'
import { Panel } from '../../ui/panel.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { countAlertsByDay, findNextAllowedAt, sumCounts } from './engine-texts.ts'

const rightCellClasses = 'text-right phone:text-left'

/**
 * Shows the number of alerts of each asset on each day, and from when the limits allow the next
 * critical and the next high alert of the asset.
 */
export function EngineAlerts({ status }: { status: EngineStatus }) {
  const { assets, days, leftOut } = status
  const nowMs = Date.parse(status.eventTime ?? status.sentAt)
  const totals = countAlertsByDay(assets, days)
  return (
    <Panel
      title="Alerts and budgets"
      detail="By the engine, UTC days"
      flush
      footer="Critical at most once a week for an asset, high at most once a day. An alert beyond its budget gets the next lower priority. The last day is incomplete."
    >
      {assets.length === 0 ? (
        <p className="p-5 text-base text-2 phone:p-4">No market has been watched yet.</p>
      ) : (
        <Table caption="Alerts by asset and day, and budgets" cards>
          <thead>
            <tr>
              <Th>Asset</Th>
              {days.map(({ day }) => (
                <Th key={day} className="text-right phone:hidden">
                  {formatDay(day)}
                </Th>
              ))}
              <Th className="hidden phone:block">By day, oldest first</Th>
              <Th className={rightCellClasses}>{`${days.length} days`}</Th>
              <Th className={rightCellClasses}>
                Critical (<ZoneName />)
              </Th>
              <Th className={rightCellClasses}>
                High (<ZoneName />)
              </Th>
            </tr>
          </thead>
          <tbody>
            {assets.map(({ asset, alerts, criticalAt, highAt }) => (
              <Tr key={asset} compact>
                <Td className="wrap-anywhere phone:font-semibold">{asset}</Td>
                <DayCells counts={alerts} days={days} />
                <Td mono label={`${days.length} days`} className={rightCellClasses}>
                  {formatCount(sumCounts(alerts))}
                </Td>
                <Td mono label="Critical" className={rightCellClasses}>
                  <Budget from={findNextAllowedAt(criticalAt, 'critical', nowMs)} />
                </Td>
                <Td mono label="High" className={rightCellClasses}>
                  <Budget from={findNextAllowedAt(highAt, 'high', nowMs)} />
                </Td>
              </Tr>
            ))}
            <Tr compact className="font-semibold">
              <Td>All assets</Td>
              <DayCells counts={totals} days={days} />
              <Td mono label={`${days.length} days`} className={rightCellClasses}>
                {formatCount(sumCounts(totals))}
              </Td>
              <Td className="phone:hidden" />
              <Td className="phone:hidden" />
            </Tr>
          </tbody>
        </Table>
      )}
      {leftOut.assets > 0 && (
        <p className="px-5 py-3 text-base text-2 phone:px-4">
          {formatCount(leftOut.assets)} more {leftOut.assets === 1 ? 'asset is' : 'assets are'} not shown or counted
          here.
        </p>
      )}
    </Panel>
  )
}

function DayCells({ counts, days }: { counts: readonly number[]; days: EngineStatus['days'] }) {
  return (
    <>
      {days.map(({ day }, index) => (
        <Td key={day} mono className="text-right phone:hidden">
          <span className={counts[index] === 0 ? 'text-2' : undefined}>{formatCount(counts[index] ?? 0)}</span>
        </Td>
      ))}
      <Td mono label="By day, oldest first" className="hidden phone:block">
        {counts.map(formatCount).join(' ')}
      </Td>
    </>
  )
}

function Budget({ from }: { from: string | null }) {
  if (from === null) return 'Free'
  return (
    <>
      Used until <Time at={from} show="date" />
    </>
  )
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Formats 2026-11-21 as "21 Nov", independent of the time zone of the page. */
function formatDay(day: string): string {
  return `${Number(day.slice(8))} ${months[Number(day.slice(5, 7)) - 1]}`
}
