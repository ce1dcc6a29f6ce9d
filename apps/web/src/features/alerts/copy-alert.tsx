import type { Alert } from '@tocsin/protocol'
import { Check, Copy } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { useCopied } from '../../ui/use-copied.ts'

/** Copies an alert as JSON in the format that the verification page and the command line accept. */
export function CopyAlert({ alert }: { alert: Alert }) {
  const { copied, copy } = useCopied()
  const Icon = copied ? Check : Copy
  return (
    <Button size="sm" onClick={() => void copy(JSON.stringify(alert, null, 2))}>
      <Icon aria-hidden size={16} strokeWidth={2.25} />
      {copied ? 'Copied' : 'Copy alert JSON'}
    </Button>
  )
}
