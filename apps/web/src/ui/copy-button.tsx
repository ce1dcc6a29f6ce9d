import { Check, Copy } from 'lucide-react'
import { uiMoreTexts } from '../texts/ui-more.ts'
import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'
import { useCopied } from './use-copied.ts'

const texts = uiMoreTexts.copyButton

type CopyButtonProps = {
  text: string
  /** What is copied, for screen readers: "Copy address". */
  label: string
  /** With the word "Copy" beside the icon. */
  words?: boolean
  className?: string
}

/** Copies a text and says so for a moment, in place. */
export function CopyButton({ text, label, words = false, className }: CopyButtonProps) {
  const { copied, copy } = useCopied()
  const icon = copied ? Check : Copy
  const Icon = icon
  if (!words) {
    return (
      <IconButton
        icon={icon}
        label={copied ? texts.copied : label}
        size="sm"
        onClick={() => void copy(text)}
        className={className}
      />
    )
  }
  return (
    <Button size="sm" onClick={() => void copy(text)} aria-label={copied ? texts.copied : label} className={className}>
      <Icon aria-hidden size={16} strokeWidth={2.25} />
      {copied ? texts.copied : texts.copy}
    </Button>
  )
}
