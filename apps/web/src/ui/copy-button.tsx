import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { uiMoreTexts } from '../texts/ui-more.ts'
import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'

const texts = uiMoreTexts.copyButton

const confirmedMs = 1500

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
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), confirmedMs)
    return () => clearTimeout(timer)
  }, [copied])

  async function copy() {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }

  const icon = copied ? Check : Copy
  const Icon = icon
  if (!words) {
    return (
      <IconButton icon={icon} label={copied ? texts.copied : label} size="sm" onClick={copy} className={className} />
    )
  }
  return (
    <Button size="sm" onClick={copy} aria-label={copied ? texts.copied : label} className={className}>
      <Icon aria-hidden size={16} strokeWidth={2.25} />
      {copied ? texts.copied : texts.copy}
    </Button>
  )
}
