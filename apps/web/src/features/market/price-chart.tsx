import { useEffect, useRef, useState } from 'react'
import { clockTime } from '../../ui/format-time.ts'
import type { TimeStyle } from '../../ui/time-style.ts'
import { useTimeStyle } from '../../ui/time-style.ts'
import { groupDigits } from '../prediction/amount-words.ts'
import type { CandleRow, ChartRange } from './candles.ts'
import type { ChartMarks } from './chart-figures.ts'
import { type DrawnChart, drawChart } from './draw-chart.ts'
import { priceWords } from './price-words.ts'

type PriceChartProps = {
  rows: readonly CandleRow[]
  range: ChartRange
  marks: ChartMarks | null
  /** The price of the last trade. Null if it is unknown or the chart ends before it. */
  now?: number | null
  /** Class that sets the text colour of the priority. */
  markLook: string
  className: string
}

/** Candles with the marks of an alert, and the same figures as a table. */
export function PriceChart({ rows, range, marks, now = null, markLook, className }: PriceChartProps) {
  const element = useRef<HTMLDivElement>(null)
  const drawn = useRef<DrawnChart>(null)
  const newest = useRef(now)
  const style = useTimeStyle()
  const theme = useTheme()
  useEffect(() => {
    if (!element.current) return
    // The colours are read from the element, so it is drawn again for another theme.
    void theme
    const clock = (atMs: number, withSeconds: boolean) => clockOf(atMs, style, withSeconds)
    const markColor = getComputedStyle(element.current).color
    const issuedWords = marks ? `issued ${clockOf(marks.issuedMs, style, true)}` : ''
    const chart = drawChart(element.current, { rows, range, marks, issuedWords, markColor, clock, priceWords })
    chart.setNow(newest.current)
    drawn.current = chart
    return () => {
      drawn.current = null
      chart.remove()
    }
  }, [rows, range, marks, style, theme])
  useEffect(() => {
    newest.current = now
    drawn.current?.setNow(now)
  }, [now])
  return (
    <>
      <div aria-hidden ref={element} className={`isolate font-mono ${markLook} ${className}`} />
      <div className="mt-1 flex flex-wrap items-baseline gap-x-4 text-hint text-2">
        <CandleTable rows={rows} style={style} />
        <a
          href="https://www.tradingview.com/"
          target="_blank"
          rel="noreferrer"
          className="link touch-target ml-auto text-hint"
        >
          Charts by TradingView
        </a>
      </div>
    </>
  )
}

function clockOf(atMs: number, style: TimeStyle, withSeconds: boolean): string {
  const clock = clockTime(atMs, style)
  return withSeconds ? clock : clock.replace(/:\d\d(?= |$)/, '')
}

/** The figures of the chart. Its rows exist only while it is open. */
function CandleTable({ rows, style }: { rows: readonly CandleRow[]; style: TimeStyle }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)} className="open:basis-full">
      <summary className="link touch-target w-fit cursor-pointer text-hint">Candles as a table</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it
        <section aria-label="Candles" tabIndex={0} className="focus-inset mt-2 max-h-60 overflow-auto">
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
                    {clockOf(at * 1_000, style, false)}
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
        </section>
      )}
    </details>
  )
}

function useTheme(): string {
  const [theme, setTheme] = useState(() => document.documentElement.dataset.theme ?? '')
  useEffect(() => {
    const observer = new MutationObserver(() => setTheme(document.documentElement.dataset.theme ?? ''))
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => observer.disconnect()
  }, [])
  return theme
}
