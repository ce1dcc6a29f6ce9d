import { useEffect, useRef, useState } from 'react'
import { useTimeStyle } from '../../ui/time-style.ts'
import { CandleTable } from './candle-table.tsx'
import type { CandleRow, ChartRange } from './candles.ts'
import { formatChartTime } from './chart-clock.ts'
import type { ChartMarks } from './chart-figures.ts'
import { type DrawnChart, drawChart } from './draw-chart.ts'
import { formatPrice } from './price-texts.ts'

type PriceChartProps = {
  rows: readonly CandleRow[]
  range: ChartRange
  marks: ChartMarks | null
  /** Price of the last trade. Null if it is unknown, or if the chart ends before the trade. */
  now?: number | null
  /** Class that sets the text colour of the priority. */
  markColorClass: string
  className: string
}

/** Candles with the marks of an alert, and the same figures as a table. */
export function PriceChart({ rows, range, marks, now = null, markColorClass, className }: PriceChartProps) {
  const { from, to } = range
  const element = useRef<HTMLDivElement>(null)
  const drawnChart = useRef<DrawnChart>(null)
  const newestInput = useRef({ rows, marks, now })
  const view = useRef<ChartRange>(null)
  const style = useTimeStyle()
  const theme = useTheme()
  useEffect(() => {
    newestInput.current = { rows, marks, now }
  }, [rows, marks, now])
  useEffect(() => drawnChart.current?.setCandles(rows, marks), [rows, marks])
  useEffect(() => drawnChart.current?.setCurrentPrice(now), [now])
  // This effect does not depend on candles and marks, because creating a new chart would interrupt
  // a pan or zoom gesture.
  useEffect(() => {
    if (!element.current) return
    // The colours are read from the element, so a change of the theme draws the chart again.
    void theme
    const clock = (atMs: number, withSeconds: boolean) => formatChartTime(atMs, style, withSeconds)
    const markColor = getComputedStyle(element.current).color
    const chart = drawChart(element.current, {
      ...newestInput.current,
      range: { from, to },
      visibleRange: view.current,
      markColor,
      clock,
      formatPrice,
    })
    chart.setCurrentPrice(newestInput.current.now)
    drawnChart.current = chart
    return () => {
      drawnChart.current = null
      view.current = chart.getVisibleRange()
      chart.remove()
    }
  }, [from, to, style, theme])
  return (
    <>
      <div aria-hidden ref={element} className={`isolate font-mono ${markColorClass} ${className}`} />
      <div className="mt-1 flex flex-wrap items-baseline gap-x-4 text-hint text-2">
        <CandleTable rows={rows} />
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

function useTheme(): string {
  const [theme, setTheme] = useState(() => document.documentElement.dataset.theme ?? '')
  useEffect(() => {
    const observer = new MutationObserver(() => setTheme(document.documentElement.dataset.theme ?? ''))
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => observer.disconnect()
  }, [])
  return theme
}
