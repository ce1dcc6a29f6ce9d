import { useState } from 'react'
import { formatHourMinute } from '../../ui/format-time.ts'
import { ScrollArea } from '../../ui/scroll-area.tsx'
import { useTimeStyle } from '../../ui/time-style.ts'
import { groupDigits } from '../prediction/amount-texts.ts'
import type { CandleRow } from './candles.ts'

/** A table of the candles of a chart. The rows are rendered only while the table is open. */
export function CandleTable({ rows }: { rows: readonly CandleRow[] }) {
  const style = useTimeStyle()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)} className="min-w-0 open:basis-full">
      <summary className="link touch-target w-fit cursor-pointer text-hint">Candles as a table</summary>
      {isOpen && (
        <ScrollArea label="Candles" className="focus-inset mt-2 max-h-60">
          <table className="w-full text-right text-data">
            <thead className="sticky top-0 bg-ink-1 text-label">
              <tr>
                {['Time', 'Open', 'High', 'Low', 'Close', 'Volume'].map((head) => (
                  <th key={head} scope="col" className="px-2 py-1 font-normal first:text-left">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(([at, ...figures]) => (
                <tr key={at}>
                  <th scope="row" className="px-2 py-0.5 text-left font-normal">
                    {formatHourMinute(at * 1_000, style)}
                  </th>
                  {figures.map((figure, column) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: columns have a fixed order
                    <td key={column} className="px-2 py-0.5">
                      {groupDigits(figure)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>
      )}
    </details>
  )
}
