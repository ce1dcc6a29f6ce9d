import { resolvedBeforeCalibration } from '@tocsin/proof'
import { useState } from 'react'
import { formatCount } from '../../ui/count.ts'
import { Panel } from '../../ui/panel.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { FigureLink } from './figure-link.tsx'
import { createResolvedKey, type PublicRecord, percent, type Selection } from './record-texts.ts'
import { createPoints, formatBand, formatLine, type ReliabilityPoint } from './reliability-layout.ts'

const views = [
  { value: 'chart', label: 'Chart' },
  { value: 'table', label: 'Table' },
] as const

type ReliabilityPanelProps = { calibration: PublicRecord['calibration']; isStatic: boolean }

/** Predicted against observed shares, per bin of confidence. */
export function ReliabilityPanel({ calibration, isStatic }: ReliabilityPanelProps) {
  const [view, setView] = useState<'chart' | 'table'>('chart')
  const points = createPoints(calibration.bins)
  if (points.length === 0) return <NotCalibrated calibration={calibration} />
  return (
    <Panel
      title="Reliability"
      detail={
        <>
          predicted against observed, n{' '}
          <FigureLink selection={{ set: 'calibrated' }}>{formatCount(calibration.n)}</FigureLink>
        </>
      }
      actions={isStatic ? undefined : <Segmented label="View" value={view} onChange={setView} choices={views} />}
      flush={view === 'table'}
    >
      {view === 'chart' && <Diagram points={points} n={calibration.n} />}
      {/* While the chart is shown, the table is hidden visually, but not from screen readers. */}
      <div className={view === 'chart' ? 'sr-only *:overflow-visible!' : undefined}>
        <BinTable points={points} isLinked={view === 'table'} />
      </div>
    </Panel>
  )
}

function NotCalibrated({ calibration: { resolved, leftOut } }: { calibration: PublicRecord['calibration'] }) {
  return (
    <Panel title="Reliability">
      <p className="text-base font-semibold">Not enough outcomes yet</p>
      <p className="mt-1 text-base text-2">
        An alert type appears in the diagram after {resolvedBeforeCalibration} outcomes.{' '}
        <FigureLink selection={{ set: 'uncalibrated' }}>{formatCount(leftOut)}</FigureLink> counted alerts came before
        that.
      </p>
      <ul className="mt-3 text-base text-2">
        {resolved.map((row) => (
          <li key={createResolvedKey(row)}>
            {row.anomalyType || 'No type'} <span className="text-3">({row.model})</span>{' '}
            <span className="text-data text-1">
              n{' '}
              <FigureLink selection={{ by: 'resolved', key: createResolvedKey(row) }}>
                {formatCount(row.resolved)}
              </FigureLink>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const createBinSelection = (from: number): Selection => ({ by: 'bin', key: String(from) })

const plotHeight = 252
const barTop = plotHeight + 36
const barHeight = 22
const axisSteps = [0, 0.2, 0.4, 0.6, 0.8, 1]

function Diagram({ points, n }: { points: readonly ReliabilityPoint[]; n: number }) {
  const formatPercent = (share: number) => `${(100 * share).toFixed(2)}%`
  const getY = (share: number) => plotHeight * (1 - share)
  return (
    <figure>
      <div className="pr-4 pl-10">
        <svg role="presentation" width="100%" height={barTop + barHeight + 18} fill="none" className="overflow-visible">
          {/* The links below are outside of the image, because screen readers ignore the children
              of an image. */}
          <svg role="img" aria-label={describePoints(points, n)} className="overflow-visible">
            {axisSteps.map((step) => (
              <g key={step}>
                <line x2="100%" y1={getY(step)} y2={getY(step)} className="stroke-line-1" />
                <text x={-8} y={getY(step) + 4} textAnchor="end" className="fill-text-2 text-data">
                  {`${100 * step}%`}
                </text>
                <text x={formatPercent(step)} y={plotHeight + 18} textAnchor="middle" className="fill-text-2 text-data">
                  {`${100 * step}%`}
                </text>
              </g>
            ))}
            <svg aria-hidden="true" width="100%" height={plotHeight} viewBox="0 0 100 100" preserveAspectRatio="none">
              <polygon points={formatBand(points)} className="fill-ink-3" />
              <line
                x1={0}
                y1={100}
                x2={100}
                y2={0}
                strokeDasharray="2 3"
                vectorEffect="non-scaling-stroke"
                className="stroke-text-3"
              />
              <polyline
                points={formatLine(points)}
                strokeWidth={1.5}
                vectorEffect="non-scaling-stroke"
                className="stroke-text-1"
              />
            </svg>
            {points.map(({ bin, x, y, whisker, bar }) => (
              <g key={bin.from}>
                <line
                  x1={formatPercent(x)}
                  x2={formatPercent(x)}
                  y1={getY(whisker[0])}
                  y2={getY(whisker[1])}
                  className="stroke-text-1"
                />
                <rect
                  x={formatPercent(x)}
                  y={getY(y)}
                  width={7}
                  height={7}
                  transform="translate(-3.5 -3.5)"
                  className="fill-text-1"
                />
                <rect
                  x={formatPercent(x)}
                  y={barTop + barHeight * (1 - bar)}
                  width={20}
                  height={Math.max(1, barHeight * bar)}
                  transform="translate(-10 0)"
                  className="fill-line-2"
                />
              </g>
            ))}
            <text x={-8} y={barTop + barHeight + 15} textAnchor="end" className="fill-text-2 text-data">
              n
            </text>
          </svg>
          {points.map(({ bin, x }) => (
            <FigureLink key={bin.from} selection={createBinSelection(bin.from)} plain>
              <text
                x={formatPercent(x)}
                y={barTop + barHeight + 15}
                textAnchor="middle"
                className="fill-text-2 text-data"
              >
                <title>{`Alerts with a confidence of ${bin.from} to ${bin.from + 10}%`}</title>
                {formatCount(bin.n)}
              </text>
            </FigureLink>
          ))}
        </svg>
      </div>
      <figcaption className="mt-4 flex flex-wrap gap-x-5 gap-y-1 pl-10 text-hint text-2">
        <span className="inline-flex items-center gap-2">
          <span aria-hidden className="size-2.5 bg-ink-3" />
          expected by chance, 95%
        </span>
        <span className="inline-flex items-center gap-2">
          <span aria-hidden className="size-1.75 bg-text-1" />
          observed, 95% interval
        </span>
      </figcaption>
    </figure>
  )
}

/** Describes the diagram in sentences, one for each bin. */
function describePoints(points: readonly ReliabilityPoint[], n: number): string {
  const bins = points.map(
    ({ bin: { from, n: inBin, shown, cameTrue } }) =>
      `${from} to ${from + 10}%: predicted ${percent(shown)}, came true ${percent(cameTrue)}, n ${formatCount(inBin)}.`,
  )
  return [`Reliability of ${formatCount(n)} predictions by confidence.`, ...bins].join(' ')
}

/**
 * @param isLinked false while the table is not visible, because invisible links must not receive
 *   the focus
 */
function BinTable({ points, isLinked }: { points: readonly ReliabilityPoint[]; isLinked: boolean }) {
  return (
    <Table caption="Reliability by bin of confidence">
      <thead>
        <tr>
          <Th>Confidence</Th>
          <Th className="text-right">n</Th>
          <Th className="text-right">Predicted</Th>
          <Th className="text-right">Came true</Th>
          <Th className="text-right">Expected range</Th>
        </tr>
      </thead>
      <tbody>
        {points.map(({ bin: { from, n, shown, cameTrue, chanceBand } }) => (
          <Tr key={from} compact>
            <Td mono>{`${from} to ${from + 10}%`}</Td>
            <Td mono className="text-right">
              {isLinked ? (
                <FigureLink selection={createBinSelection(from)}>{formatCount(n)}</FigureLink>
              ) : (
                formatCount(n)
              )}
            </Td>
            <Td mono className="text-right">
              {percent(shown)}
            </Td>
            <Td mono className="text-right">
              {percent(cameTrue)}
            </Td>
            <Td mono className="text-right">{`${percent(chanceBand[0])} to ${percent(chanceBand[1])}`}</Td>
          </Tr>
        ))}
      </tbody>
    </Table>
  )
}
