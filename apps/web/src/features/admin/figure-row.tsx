import type { ReactNode } from 'react'

interface FigureRowProps {
  /** The unit is shown after the value in smaller type. */
  figures: readonly { label: string; value: ReactNode; unit?: string }[]
}

/** Figures side by side, for the footer of a panel. */
export function FigureRow({ figures }: FigureRowProps) {
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-3 py-1">
      {figures.map(({ label, value, unit }) => (
        <div key={label}>
          <dt className="text-label">{label}</dt>
          <dd className="mt-1 flex items-baseline gap-x-1.5">
            <span className="text-number-sm text-1">{value}</span>
            {unit}
          </dd>
        </div>
      ))}
    </dl>
  )
}
