import type { RecordFigures } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { formatCount } from '../../ui/count.ts'
import { OutcomeGlyph } from '../../ui/identity/outcome-glyph.tsx'
import { Panel } from '../../ui/panel.tsx'
import { FigureLink } from './figure-link.tsx'
import { RateScale, ScaleKey } from './rate-scale.tsx'
import {
  computeScaleLimit,
  formatInterval,
  formatLift,
  formatRatePercent,
  type PublicRecord,
  percent,
  type Selection,
} from './record-texts.ts'

/**
 * Shows the strict rate (alerts that came true among all counted alerts) with its interval, and the
 * numbers of alerts by status.
 */
export function Headline({ record }: { record: PublicRecord }) {
  const { overall } = record
  const { strict, second, interval, baseRate, lift, statuses, withoutControls } = overall
  const scaleLimit = computeScaleLimit([interval?.[1] ?? 0, baseRate ?? 0])
  const outsideCount = statuses['no-prediction'] + statuses.pending
  return (
    <Panel flush>
      <div className="grid lg:grid-cols-[minmax(0,1fr)_minmax(0,600px)]">
        <div className="flex flex-col justify-center p-6 phone:p-4">
          <h2 className="text-label">Strict success rate</h2>
          <div className="mt-1 flex flex-wrap items-center gap-x-5 gap-y-1">
            <FigureLink selection={{ set: 'counted' }} plain className="text-number-lg">
              {formatRatePercent(strict)}
            </FigureLink>
            <p className="text-base text-2">
              <span className="block">
                <Count selection={{ status: 'true' }}>{strict.count}</Count> of{' '}
                <Count selection={{ set: 'counted' }}>{strict.n}</Count> came true
              </span>
              <span className="block">
                95% interval{' '}
                <FigureLink
                  selection={{ set: 'counted' }}
                  plain
                  className="text-data font-semibold whitespace-nowrap text-1"
                >
                  {formatInterval(interval)}
                </FigureLink>{' '}
                (Wilson, effective n {formatCount(Math.round(overall.effectiveN))})
              </span>
            </p>
          </div>
          <RateScale figures={overall} baseRate={baseRate} end={scaleLimit} labels className="mt-5" />
          <ScaleKey className="mt-2" />
        </div>
        <dl className="grid grid-cols-3 gap-px bg-line-1 max-lg:border-t max-lg:border-line-1 lg:border-l lg:border-line-1 phone:grid-cols-2">
          <Cell label="Lift" note={formatLiftNote(overall)} selection={{ set: 'with-controls' }}>
            {formatLift(lift)}
          </Cell>
          <Cell label="Did not come true" note="counted" selection={{ status: 'false' }}>
            {formatCount(statuses.false)}
          </Cell>
          <Cell
            label="Void"
            note={
              <>
                counted as not true; without{' '}
                <FigureLink selection={{ set: 'without-void' }}>{formatRatePercent(second)}</FigureLink>
              </>
            }
            selection={{ status: 'void' }}
          >
            {formatCount(statuses.void)}
          </Cell>
          <Cell label="Open" note="verdict to come" selection={{ status: 'open' }}>
            {formatCount(statuses.open)}
          </Cell>
          <Cell label="Overdue" note="counted as not true" selection={{ status: 'overdue' }}>
            {formatCount(statuses.overdue)}
            {statuses.overdue > 0 && <OutcomeGlyph shape="overdue" size={16} className="ml-2 inline align-middle" />}
          </Cell>
          <Cell
            label="Not counted"
            note={
              <>
                <Count selection={{ status: 'no-prediction' }}>{statuses['no-prediction']}</Count> no prediction,{' '}
                <Count selection={{ status: 'pending' }}>{statuses.pending}</Count> not public yet
              </>
            }
            selection={{ set: 'outside' }}
          >
            {formatCount(outsideCount)}
          </Cell>
        </dl>
      </div>
      {withoutControls > 0 && strict.n > 0 && (
        <p className="border-t border-line-1 px-6 py-2 text-hint text-2 phone:px-4">
          <Count selection={{ set: 'without-controls' }}>{withoutControls}</Count> of{' '}
          <Count selection={{ set: 'counted' }}>{strict.n}</Count> counted alerts have no random minutes to compare with
          yet: the hash of a block of the next day selects these minutes.
        </p>
      )}
    </Panel>
  )
}

function formatLiftNote({ baseRate, lift }: RecordFigures): ReactNode {
  if (baseRate === null) return 'no random minutes drawn yet'
  return (
    <FigureLink selection={{ set: 'with-controls' }}>
      {percent(baseRate)} at random minutes{lift && `; 95%: ${lift.low.toFixed(1)}× to ${lift.high.toFixed(1)}×`}
    </FigureLink>
  )
}

type CellProps = { label: string; note: ReactNode; selection: Selection; children: ReactNode }

function Cell({ label, note, selection, children }: CellProps) {
  return (
    <div className="bg-ink-1 p-5 phone:p-4">
      <dt className="text-label text-2">{label}</dt>
      <dd className="text-number-sm">
        <FigureLink selection={selection} plain>
          {children}
        </FigureLink>
      </dd>
      <dd className="text-hint text-2">{note}</dd>
    </div>
  )
}

function Count({ selection, children }: { selection: Selection; children: number }) {
  return (
    <FigureLink selection={selection} className="font-semibold text-1">
      {formatCount(children)}
    </FigureLink>
  )
}

/**
 * Shows the figures beside the headline: rates that are counted in other ways, and the rarer
 * statuses.
 */
export function OtherFigures({ record: { overall, coverage } }: { record: PublicRecord }) {
  const { second, witnessed, episodes, effectiveN, designEffect, meanConfidence, alertsPerAssetDay } = overall
  const { statuses, timesNotProven } = overall
  const confidence = meanConfidence === null ? '—' : `${meanConfidence.toFixed(1)}%`
  const perDay = alertsPerAssetDay === null ? '—' : alertsPerAssetDay.toFixed(2)
  const rates: [label: string, set: Selection['set'], value: string, note: string][] = [
    ['Without void', 'without-void', formatRatePercent(second), `n ${formatCount(second.n)}`],
    ['Witnessed', 'witnessed', formatRatePercent(witnessed), 'counted from the anchor’s block time'],
    ['Episodes', 'episodes', formatRatePercent(episodes), `first of each, n ${formatCount(episodes.n)}`],
    ['Effective n', 'counted', effectiveN.toFixed(1), `design effect ${designEffect.toFixed(2)}`],
    ['Mean confidence', 'counted', confidence, 'of counted alerts'],
    ['Coverage', 'predicted', formatRatePercent(coverage), 'of alerts have a prediction'],
    ['Alerts', 'counted', perDay, 'per asset and day'],
  ]
  const rareStatuses = ['late', 'withheld', 'invalid', 'disputed'] as const
  return (
    <Panel title="Other ways of counting" flush>
      <dl className="grid grid-cols-7 gap-px bg-line-1 max-lg:grid-cols-4 phone:grid-cols-2">
        {rates.map(([label, set, value, note]) => (
          <Cell key={label} label={label} note={note} selection={{ set }}>
            {value}
          </Cell>
        ))}
        <div className="bg-ink-1 lg:hidden" />
      </dl>
      <p className="border-t border-line-1 px-5 py-3 text-base text-2 phone:px-4">
        Counted as not true, besides void and overdue:{' '}
        {rareStatuses.map((status, index) => (
          <span key={status} className="whitespace-nowrap">
            {index > 0 && ', '}
            <Count selection={{ status }}>{statuses[status]}</Count> {status}
          </span>
        ))}
        . Counted, but with an outcome whose stated time the anchors do not prove:{' '}
        <Count selection={{ set: 'time-not-proven' }}>{timesNotProven}</Count>.
      </p>
    </Panel>
  )
}
