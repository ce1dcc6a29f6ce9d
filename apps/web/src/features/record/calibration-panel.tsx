import { resolvedBeforeCalibration } from '@tocsin/proof'
import { formatCount } from '../../ui/count.ts'
import { Panel } from '../../ui/panel.tsx'
import { FigureLink } from './figure-link.tsx'
import { formatZScore, type PublicRecord } from './record-texts.ts'

const formatFourDecimals = (value: number | null) => (value === null ? '—' : value.toFixed(4).replace('-', '−'))

/** Shows how well the stated confidences match the observed frequencies. */
export function CalibrationPanel({ calibration }: { calibration: PublicRecord['calibration'] }) {
  const { n, brier, referenceBrier, skill, ece, spiegelhalterZ, leftOut } = calibration
  const figures = [
    ['Brier score', brier, `base rate alone ${formatFourDecimals(referenceBrier)}, skill ${formatFourDecimals(skill)}`],
    ['Calibration error', ece, 'mean gap, weighted by n; chance alone makes it larger than 0'],
    ['Spiegelhalter z', spiegelhalterZ, formatZScore(spiegelhalterZ)],
  ] as const
  return (
    <Panel
      title="Calibration"
      detail={
        <>
          n <FigureLink selection={{ set: 'calibrated' }}>{formatCount(n)}</FigureLink>
        </>
      }
      flush
    >
      <dl className="grid grid-cols-3 gap-px bg-line-1 phone:grid-cols-1">
        {figures.map(([label, value, note]) => (
          <div key={label} className="bg-ink-1 p-5 phone:p-4">
            <dt className="text-label text-2">{label}</dt>
            <dd className="text-number-sm">
              <FigureLink selection={{ set: 'calibrated' }} plain>
                {formatFourDecimals(value)}
              </FigureLink>
            </dd>
            <dd className="text-hint text-2">{note}</dd>
          </div>
        ))}
      </dl>
      {leftOut > 0 && (
        <p className="border-t border-line-1 px-5 py-2 text-hint text-2 phone:px-4">
          Without <FigureLink selection={{ set: 'uncalibrated' }}>{formatCount(leftOut)}</FigureLink> alerts of types
          that had fewer than {resolvedBeforeCalibration} outcomes.
        </p>
      )}
    </Panel>
  )
}
