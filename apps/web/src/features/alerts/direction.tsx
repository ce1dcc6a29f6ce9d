import { classNames } from '../../ui/class-names.ts'
import { parseDirection } from '../alert/alert-texts.ts'

const styles = { up: ['↑', 'text-up'], down: ['↓', 'text-down'] } as const

/**
 * An arrow with the direction of the price that the summary contains. It is the second column of
 * the cell with the sparkline.
 */
export function Direction({ summary }: { summary: string }) {
  const direction = parseDirection(summary)
  if (direction === null) return null
  const [arrow, color] = styles[direction]
  return (
    <span aria-hidden className={classNames('col-start-2 text-data', color)}>
      {arrow}
    </span>
  )
}
