import { Check, Copy } from 'lucide-react'
import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'
import { useCopied } from './use-copied.ts'

type CopyButtonProps = {
  text: string
  /** Accessible name: "Copy address". */
  label: string
  /** Shows the word "Copy" beside the icon. */
  words?: boolean
  className?: string
}

/** Copies text and briefly shows "Copied". */
export function CopyButton({ text, label, words = false, className }: CopyButtonProps) {
  const { isCopied, copy } = useCopied()
  const icon = isCopied ? Check : Copy
  const Icon = icon
  if (!words) {
    return (
      <IconButton
        icon={icon}
        label={isCopied ? 'Copied' : label}
        size="sm"
        onClick={() => void copy(text)}
        className={className}
      />
    )
  }
  return (
    <Button size="sm" onClick={() => void copy(text)} aria-label={isCopied ? 'Copied' : label} className={className}>
      <Icon aria-hidden size={16} strokeWidth={2.25} />
      {isCopied ? 'Copied' : 'Copy'}
    </Button>
  )
}
