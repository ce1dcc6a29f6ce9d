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

/** Copies text and briefly shows "Copied" or "Copy failed". */
export function CopyButton({ text, label, words = false, className }: CopyButtonProps) {
  const { feedback, Icon, copy } = useCopied()
  if (!words) {
    return (
      <IconButton
        icon={Icon}
        label={feedback ?? label}
        size="sm"
        onClick={() => void copy(text)}
        className={className}
      />
    )
  }
  return (
    <Button size="sm" onClick={() => void copy(text)} aria-label={feedback ?? label} className={className}>
      <Icon aria-hidden size={16} strokeWidth={2.25} />
      {feedback ?? 'Copy'}
    </Button>
  )
}
