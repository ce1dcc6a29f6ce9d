/** A measurement of all candidates in one run. */
export interface Table {
  date: string
  machine: string
  node: string
  /** Load average over a minute, at the start and at the end. */
  load: { start: number; end: number }
  repetitions: number
  /** Names of the columns. */
  candidates: string[]
  rows: Row[]
}

export interface RowHead {
  /** Unique in the table. */
  name: string
  unit: string
  isHigherBetter: boolean
}

export interface Row extends RowHead {
  /** Figures by candidate. Candidates that could not be measured are missing. */
  figures: Record<string, Figure>
}

/** Summary of the repetitions. */
interface Figure {
  median: number
  min: number
  max: number
}

/** Collects the values of all repetitions. Rows are in the order in which they were first added. */
export class Samples {
  readonly #rows = new Map<string, { head: RowHead; values: Map<string, number[]> }>()

  add(head: RowHead, candidate: string, value: number): void {
    const row = this.#rows.get(head.name) ?? { head, values: new Map<string, number[]>() }
    this.#rows.set(head.name, row)
    row.values.set(candidate, [...(row.values.get(candidate) ?? []), value])
  }

  summarise(): Row[] {
    return [...this.#rows.values()].map(({ head, values }) => ({
      ...head,
      figures: Object.fromEntries(
        [...values].map(([candidate, candidateValues]) => [candidate, summarise(candidateValues)]),
      ),
    }))
  }
}

function summarise(values: readonly number[]): Figure {
  const sorted = [...values].sort((a, b) => a - b)
  const getSorted = (index: number) => sorted[Math.floor(index)] ?? Number.NaN
  const middle = (sorted.length - 1) / 2
  return {
    median: (getSorted(middle) + getSorted(middle + 0.5)) / 2,
    min: getSorted(0),
    max: getSorted(sorted.length - 1),
  }
}

/** Formats the table as Markdown: medians, with the lowest and the highest value in parentheses. */
export function formatTable({ candidates, rows }: Pick<Table, 'candidates' | 'rows'>): string {
  const lines = [
    ['', ...candidates],
    ['---', ...candidates.map(() => '---:')],
    ...rows.map(({ name, unit, figures }) => [
      `${name}, ${unit}`,
      ...candidates.map((candidate) => formatFigure(figures[candidate])),
    ]),
  ]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function formatFigure(figure: Figure | undefined): string {
  if (!figure) return ''
  return `${formatNumber(figure.median)} (${formatNumber(figure.min)} to ${formatNumber(figure.max)})`
}

/** Formats with three or more significant digits. */
export function formatNumber(value: number): string {
  const size = Math.abs(value)
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
