import { useState } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { formatCount } from '../../ui/count.ts'
import { Panel } from '../../ui/panel.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { SiteLink } from '../../ui/site-link.tsx'
import { FigureLink } from './figure-link.tsx'
import { RateScale, ScaleKey } from './rate-scale.tsx'
import {
  computeScaleLimit,
  createAlertsHref,
  createModelKey,
  createRows,
  formatInterval,
  formatLift,
  formatRatePercent,
  minCompared,
  type PublicRecord,
  percent,
  type Selection,
  type TableName,
  type TableRow,
} from './record-texts.ts'

const tableOptions = [
  { value: 'type', label: 'Type' },
  { value: 'asset', label: 'Asset' },
  { value: 'priority', label: 'Priority' },
  { value: 'regime', label: 'Regime' },
  { value: 'model', label: 'Model' },
] as const

/** The record by type, asset, priority, regime or model. */
export function BreakdownPanel({ record, isStatic }: { record: PublicRecord; isStatic: boolean }) {
  const [table, setTable] = useState<(typeof tableOptions)[number]['value']>('type')
  return (
    <Panel
      title={`By ${table}`}
      actions={
        <>
          <ScaleKey className="max-lg:hidden" />
          {!isStatic && (
            <Segmented
              label="Table"
              value={table}
              onChange={setTable}
              choices={tableOptions}
              className="max-[374px]:*:px-1.5"
            />
          )}
        </>
      }
      flush
    >
      <RateTable record={record} table={table} total />
      {isStatic && (
        <noscript>
          {tableOptions.slice(1).map(({ value, label }) => (
            <div key={value} className="border-t border-line-2">
              <p className="px-5 pt-4 pb-2 text-label phone:px-4">By {label.toLowerCase()}</p>
              <RateTable record={record} table={value} />
            </div>
          ))}
        </noscript>
      )}
    </Panel>
  )
}

export function MonthPanel({ record }: { record: PublicRecord }) {
  // Models are listed in order of their first alert, so the last one is the newest.
  const newestModel = record.by.model.at(-1)
  return (
    <Panel
      title="By month"
      flush
      footer={
        <p>
          All models together.{' '}
          {newestModel && (
            <>
              The newest model, {newestModel.key.name} {newestModel.key.version}, has n{' '}
              <FigureLink selection={{ by: 'model', key: createModelKey(newestModel.key), set: 'counted' }}>
                {formatCount(newestModel.figures.strict.n)}
              </FigureLink>
              .{' '}
            </>
          )}
          A new model does not reset the headline figures.
        </p>
      }
    >
      <RateTable record={record} table="month" narrow />
    </Panel>
  )
}

type RateTableProps = {
  record: PublicRecord
  table: TableName
  /** Omits the base rate and the lift. */
  narrow?: boolean
  /** Adds a row for all alerts together. */
  total?: boolean
}

const headClasses = 'h-8 px-2 text-label font-normal whitespace-nowrap text-2 first:pl-5 last:pr-5'

function RateTable({ record, table, narrow = false, total = false }: RateTableProps) {
  const rows = createRows(record, table)
  const scaleLimit = computeScaleLimit(
    rows.flatMap(({ figures }) => [figures.interval?.[1] ?? 0, figures.baseRate ?? 0]),
  )
  return (
    <div className="overflow-x-auto">
      <table className="w-full border-collapse text-left text-base phone:block">
        <caption className="sr-only">{`Rates by ${table}`}</caption>
        <thead className="phone:sr-only">
          <tr>
            <th scope="col" className={headClasses}>
              {formatTableTitle(table)}
            </th>
            <th scope="col" className={classNames(headClasses, 'text-right')}>
              n
            </th>
            <th scope="col" className={classNames(headClasses, 'text-right')}>
              True
            </th>
            <th scope="col" className={classNames(headClasses, 'text-right')}>
              Rate
            </th>
            <th scope="col" className={classNames(headClasses, narrow ? 'max-wide:hidden' : 'max-lg:hidden')}>
              {`0 to ${100 * scaleLimit}%`}
            </th>
            <th scope="col" className={classNames(headClasses, 'text-right')}>
              95% interval
            </th>
            {!narrow && (
              <>
                <th scope="col" className={classNames(headClasses, 'text-right')}>
                  Base rate
                </th>
                <th scope="col" className={classNames(headClasses, 'text-right')}>
                  Lift
                </th>
              </>
            )}
          </tr>
        </thead>
        <tbody className="phone:block">
          {rows.map((row) => (
            <RateRow key={row.key} row={row} selection={{ by: table, key: row.key }} end={scaleLimit} narrow={narrow} />
          ))}
          {total && (
            <RateRow
              row={{ key: 'all', label: 'All', figures: record.overall, isUncalibrated: false }}
              selection={{}}
              end={scaleLimit}
              narrow={narrow}
            />
          )}
        </tbody>
      </table>
    </div>
  )
}

const formatTableTitle = (table: TableName) => `${table.charAt(0).toUpperCase()}${table.slice(1)}`

const cellClasses = 'px-2 first:pl-5 last:pr-5 phone:p-0!'
const numberClasses = classNames(cellClasses, 'text-right text-data whitespace-nowrap')

type RateRowProps = { row: TableRow; selection: Selection; end: number; narrow: boolean }

/** On phones: name, n, rate and lift on one line, the scale below. */
function RateRow({ row: { label, figures, isUncalibrated }, selection, end, narrow }: RateRowProps) {
  const { strict, interval, lift } = figures
  const isCompared = strict.n >= minCompared
  const baseRate = isCompared ? figures.baseRate : null
  const renderLink = (children: string, selectionPart: Selection) => (
    <FigureLink selection={{ ...selection, ...selectionPart }} plain>
      {children}
    </FigureLink>
  )
  return (
    <tr className="h-10 border-t border-line-1 phone:grid phone:h-auto phone:grid-cols-[minmax(0,1fr)_auto_auto_auto] phone:items-baseline phone:gap-x-3 phone:gap-y-2 phone:px-4 phone:py-3">
      <th
        scope="row"
        className={classNames(cellClasses, 'font-normal', narrow ? 'whitespace-nowrap' : 'wrap-anywhere')}
      >
        <SiteLink href={createAlertsHref(selection.by ? selection : { set: 'counted' })} className="link touch-target">
          {label}
        </SiteLink>
        {isUncalibrated && <span className="text-hint text-2 lg:max-xl:block"> not calibrated yet</span>}
      </th>
      <td className={numberClasses}>
        <span aria-hidden className="hidden text-2 phone:inline">
          n{' '}
        </span>
        {renderLink(formatCount(strict.n), { set: 'counted' })}
      </td>
      <td className={classNames(numberClasses, 'phone:hidden')}>
        {renderLink(formatCount(strict.count), { status: 'true' })}
      </td>
      <td className={classNames(numberClasses, 'font-semibold')}>
        {renderLink(formatRatePercent(strict), { set: 'counted' })}
      </td>
      <td
        className={classNames(
          cellClasses,
          'phone:order-last phone:col-span-4 md:min-w-30',
          narrow ? 'md:max-wide:hidden md:w-30' : 'md:max-lg:hidden md:w-90',
        )}
      >
        <RateScale figures={figures} baseRate={baseRate} end={end} className="block" />
      </td>
      <td className={classNames(numberClasses, 'phone:hidden')}>
        {interval === null ? '—' : renderLink(formatInterval(interval), { set: 'counted' })}
      </td>
      {!narrow && (
        <>
          <td className={classNames(numberClasses, 'phone:hidden')}>
            {baseRate === null ? '—' : renderLink(percent(baseRate), { set: 'with-controls' })}
          </td>
          <td className={classNames(numberClasses, 'font-semibold')}>
            {isCompared ? (
              renderLink(formatLift(lift), { set: 'with-controls' })
            ) : (
              <span className="font-sans text-hint font-normal text-2">n under 30</span>
            )}
          </td>
        </>
      )}
    </tr>
  )
}
