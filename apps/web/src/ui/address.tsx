import { uiMoreTexts } from '../texts/ui-more.ts'
import { classNames } from './class-names.ts'
import { CopyButton } from './copy-button.tsx'
import { shortHex } from './short-hex.ts'

const texts = uiMoreTexts.address

export type AddressProps = {
  value: string
  /** Of a block explorer; makes the text a link. */
  href?: string
  /** With a button that copies the whole value. */
  copy?: boolean
  className?: string
}

/** An address or transaction hash as 6…4 in mono; the whole of it is the tooltip. */
export function Address({ value, href, copy = false, className }: AddressProps) {
  const short = shortHex(value)
  return (
    <span className={classNames('inline-flex items-center gap-1 text-data whitespace-nowrap', className)}>
      {href === undefined ? (
        <span title={value}>{short}</span>
      ) : (
        <a href={href} target="_blank" rel="noreferrer" title={value} className="link">
          {short}
        </a>
      )}
      {copy && <CopyButton text={value} label={texts.copyShort({ short })} />}
    </span>
  )
}
