import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

/** List of `KeyValue` rows, separated by lines. */
export function KeyValueList({ children, className }: { children: ReactNode; className?: string }) {
  return <dl className={classNames('divide-y divide-line-1', className)}>{children}</dl>
}

type KeyValueProps = {
  label: ReactNode
  /** The value, in mono unless `plain`. */
  children: ReactNode
  plain?: boolean
  className?: string
}

/** A label at the left and its value at the right, at least 32 px high. */
export function KeyValue({ label, children, plain = false, className }: KeyValueProps) {
  return (
    <div className={classNames('flex min-h-8 items-baseline justify-between gap-4 py-1.5', className)}>
      <dt className="text-base text-2">{label}</dt>
      <dd className={classNames('min-w-0 text-right wrap-anywhere', plain ? 'text-base' : 'text-data')}>{children}</dd>
    </div>
  )
}
