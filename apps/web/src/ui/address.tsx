import { classNames } from './class-names.ts'
import { CopyButton } from './copy-button.tsx'
import { shortenHex } from './short-hex.ts'

export type AddressProps = {
  value: string
  /** Block explorer URL; makes the text a link. */
  href?: string
  /** Adds a button that copies the full value. */
  copy?: boolean
  className?: string
}

/** A shortened address or transaction hash in mono. The tooltip shows the full value. */
export function Address({ value, href, copy = false, className }: AddressProps) {
  const shortValue = shortenHex(value)
  return (
    <span className={classNames('inline-flex items-center gap-1 text-data whitespace-nowrap', className)}>
      {href === undefined ? (
        <span title={value}>{shortValue}</span>
      ) : (
        <a href={href} target="_blank" rel="noreferrer" title={value} className="link touch-target">
          {shortValue}
        </a>
      )}
      {copy && <CopyButton text={value} label={`Copy ${shortValue}`} />}
    </span>
  )
}
