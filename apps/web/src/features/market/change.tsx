import { classNames } from '../../ui/class-names.ts'
import { formatPercentChange } from './price-texts.ts'

/**
 * "↓ −1.70%" in the colour of its direction. The arrow and the sign make it readable without
 * colour.
 */
export function Change({ percent, className }: { percent: number; className?: string }) {
  const words = formatPercentChange(percent)
  const direction = words.startsWith('−') ? 'down' : words.startsWith('+') ? 'up' : 'none'
  const colorClass = { down: 'text-down', up: 'text-up', none: 'text-2' }[direction]
  return (
    <span className={classNames('whitespace-nowrap', colorClass, className)}>
      <span aria-hidden>{{ down: '↓ ', up: '↑ ', none: '' }[direction]}</span>
      {words}
    </span>
  )
}
