import type { HTMLAttributes, ReactNode, TdHTMLAttributes, ThHTMLAttributes } from 'react'
import { classNames } from './class-names.ts'

/** Scrolls sideways when it does not fit. Give a caption: it names the table for screen readers. */
export function Table({ caption, children, className }: { caption: string; children: ReactNode; className?: string }) {
  return (
    <div className="overflow-x-auto">
      <table className={classNames('w-full border-collapse text-left text-base', className)}>
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

type TdProps = TdHTMLAttributes<HTMLTableCellElement> & { mono?: boolean }

export function Td({ mono = false, className, ...rest }: TdProps) {
  return (
    <td
      {...rest}
      className={classNames(
        'px-2 first:pl-5 last:pr-5 phone:first:pl-4 phone:last:pr-4',
        mono && 'text-data whitespace-nowrap',
        className,
      )}
    />
  )
}
