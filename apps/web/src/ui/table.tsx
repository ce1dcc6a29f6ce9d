import type { HTMLAttributes, ReactNode, TdHTMLAttributes, ThHTMLAttributes } from 'react'
import { classNames } from './class-names.ts'

type TableProps = {
  /** Accessible name of the table. */
  caption: string
  /** On phones, shows each row as a two-column card. Give the cells a `label`. */
  cards?: boolean
  /** Set if the table is wider than its container. It can then be scrolled by keyboard. */
  wide?: boolean
  children: ReactNode
}

const cardClasses =
  'phone:block phone:[&_thead]:sr-only phone:[&_tbody]:block phone:[&_tr]:grid phone:[&_tr]:h-auto phone:[&_tr]:grid-cols-2 phone:[&_tr]:gap-x-4 phone:[&_tr]:gap-y-2.5 ' +
  'phone:[&_tr]:px-4 phone:[&_tr]:py-3 phone:[&_td]:min-w-0 phone:[&_td]:p-0! phone:[&_td]:whitespace-normal'

/** A table that scrolls horizontally if it does not fit. */
export function Table({ caption, cards = false, wide = false, children }: TableProps) {
  return (
    <div className="overflow-x-auto" {...(wide ? { tabIndex: 0, role: 'region', 'aria-label': caption } : {})}>
      <table className={classNames('w-full border-collapse text-left text-base', cards && cardClasses)}>
        <caption className="sr-only">{caption}</caption>
        {children}
      </table>
    </div>
  )
}

/** A column header, 32 px high. */
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
  /** 32 px high instead of 48. */
  compact?: boolean
}

export function Tr({ compact = false, className, ...rest }: TrProps) {
  return <tr {...rest} className={classNames('border-t border-line-1', compact ? 'h-8' : 'h-12', className)} />
}

type TdProps = TdHTMLAttributes<HTMLTableCellElement> & {
  mono?: boolean
  /** The column header, shown above the value in the card layout. */
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
