import type { HTMLAttributes, ReactNode, TdHTMLAttributes, ThHTMLAttributes } from 'react'
import { classNames } from './class-names.ts'

type TableProps = {
  /** Names the table for screen readers. */
  caption: string
  /** On phones each row is a card of two columns: give its cells a `label`. */
  cards?: boolean
  children: ReactNode
  className?: string
}

const cardLook =
  'phone:block phone:[&_thead]:sr-only phone:[&_tbody]:block phone:[&_tr]:grid phone:[&_tr]:h-auto phone:[&_tr]:grid-cols-2 phone:[&_tr]:gap-x-4 phone:[&_tr]:gap-y-2.5 ' +
  'phone:[&_tr]:px-4 phone:[&_tr]:py-3 phone:[&_td]:min-w-0 phone:[&_td]:p-0! phone:[&_td]:whitespace-normal'

/** Scrolls sideways when it does not fit. */
export function Table({ caption, cards = false, children, className }: TableProps) {
  return (
    <div className="overflow-x-auto">
      <table className={classNames('w-full border-collapse text-left text-base', cards && cardLook, className)}>
        <caption className="sr-only">{caption}</caption>
        {children}
      </table>
    </div>
  )
}

/** A column head, 32 px, mono label. */
export function Th({ className, ...rest }: ThHTMLAttributes<HTMLTableCellElement>) {
  return (
    <th
      scope="col"
      {...rest}
      className={classNames(
        'h-8 px-2 text-label font-normal whitespace-nowrap text-2 first:pl-5 last:pr-5 phone:first:pl-4 phone:last:pr-4',
        className,
      )}
    />
  )
}

type TrProps = HTMLAttributes<HTMLTableRowElement> & {
  /** 48 px, or 32 px. */
  compact?: boolean
}

export function Tr({ compact = false, className, ...rest }: TrProps) {
  return <tr {...rest} className={classNames('border-t border-line-1', compact ? 'h-8' : 'h-12', className)} />
}

type TdProps = TdHTMLAttributes<HTMLTableCellElement> & {
  mono?: boolean
  /** Its head again, over it on a card. */
  label?: ReactNode
}

export function Td({ mono = false, label, className, children, ...rest }: TdProps) {
  return (
    <td
      {...rest}
      className={classNames(
        'px-2 first:pl-5 last:pr-5 phone:first:pl-4 phone:last:pr-4',
        mono && 'text-data whitespace-nowrap',
        className,
      )}
    >
      {label !== undefined && (
        <span aria-hidden className="hidden text-label text-2 phone:block">
          {label}
        </span>
      )}
      {children}
    </td>
  )
}
