import { type EngineStatus, type ThresholdKind, thresholdKinds } from '@tocsin/protocol'
import { useState } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { formatCount } from '../../ui/count.ts'
import { Panel } from '../../ui/panel.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import {
  computeWatchedDays,
  createThresholdRows,
  kindLabels,
  listUnlistedThresholds,
  type ThresholdRow,
} from './engine-texts.ts'

/** Shows how many alerts the engine would have raised with other thresholds. */
export function EngineThresholds({ status }: { status: EngineStatus }) {
  const [asset, setAsset] = useState('')
  const watchedDayCount = computeWatchedDays(status)
  const isKnownAsset = status.assets.some((one) => one.asset === asset)
  const rows = createThresholdRows(status, isKnownAsset ? asset : undefined)
  return (
    <Panel
      title="Alerts at other thresholds"
      actions={
        <SelectField
          size="sm"
          label="Asset"
          hideLabel
          value={isKnownAsset ? asset : ''}
          onChange={({ target }) => setAsset(target.value)}
          className="w-44 phone:mb-3"
        >
          <option value="">All assets</option>
          {status.assets.map((one) => (
            <option key={one.asset} value={one.asset}>
              {one.asset}
            </option>
          ))}
        </SelectField>
      }
      flush
      footer={<CountExplanation watched={watchedDayCount} unlisted={listUnlistedThresholds(status)} />}
    >
      {watchedDayCount === 0 ? (
        <p className="p-5 text-base text-2 phone:p-4">
          Nothing is counted yet. A market is counted after a day without missing minutes.
        </p>
      ) : (
        <Table caption="Alerts that each threshold would have raised">
          <thead>
            <tr className="align-bottom">
              <Th>
                <span className="phone:sr-only">Threshold</span>
              </Th>
              {thresholdKinds.map((kind) => (
                <Th key={kind} className="text-right phone:px-1 phone:whitespace-normal">
                  {kindLabels[kind]}
                </Th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <ThresholdCells key={row.threshold} row={row} />
            ))}
          </tbody>
        </Table>
      )}
    </Panel>
  )
}

function ThresholdCells({ row: { threshold, counts } }: { row: ThresholdRow }) {
  return (
    <Tr compact>
      <th scope="row" className="pl-5 text-left text-data font-normal phone:pl-4">
        {threshold.toFixed(1)}
      </th>
      {thresholdKinds.map((kind) => (
        <CountCell key={kind} {...counts[kind]} kind={kind} />
      ))}
    </Tr>
  )
}

function CountCell({
  count,
  perDay,
  isPresent,
  kind,
}: ThresholdRow['counts'][ThresholdKind] & { kind: ThresholdKind }) {
  return (
    <Td mono className={classNames('text-right phone:px-1', isPresent && 'bg-ink-3')}>
      {isPresent && (
        <span className="mr-2 font-sans text-hint font-semibold phone:block phone:mr-0">
          in use<span className="sr-only"> for {kindLabels[kind]}</span>
        </span>
      )}
      {count === 0 || perDay === null ? (
        <span className={count === 0 ? 'text-2' : undefined}>{formatCount(count)}</span>
      ) : (
        <>
          {perDay.toFixed(2)} <span className="text-2 phone:hidden">a day, {formatCount(count)}</span>
        </>
      )}
    </Td>
  )
}

function CountExplanation({ watched, unlisted }: { watched: number; unlisted: string[] }) {
  return (
    <span className="block py-1">
      {watched < 1 ? (
        `Alerts in the ${Math.max(1, Math.round(watched * 24))} observed hours; rates follow after a day. `
      ) : (
        <>
          Each cell: alerts per day<span className="phone:hidden">, then the total</span>, over {watched.toFixed(1)}{' '}
          observed days of the last 7.{' '}
        </>
      )}
      {unlisted.length > 0 && `In use, but not in the table: ${unlisted.join(', ')}. `}A surprise score of 2 is reached
      in about 1 of 100 past minutes of the market, a score of 3 in about 1 of 1,000. A market-wide move needs two
      assets at the threshold; each further asset needs 0.1 less, but at least 2.6. Counted: minutes that end at or
      above the threshold, once per cool-down of 30 min. Not counted: alerts within a minute whose cause is gone at its
      end, and divergences, rush orders and quiet markets, which have no such threshold. The market-wide alerts that
      were raised suppress the alerts of their assets here too. A peak counts once, even if it raises an alert for each
      of two horizons.
    </span>
  )
}
