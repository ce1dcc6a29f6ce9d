import type { Alert } from '@tocsin/protocol'
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { alertsTexts } from '../../texts/alerts.tsx'
import { Button } from '../../ui/button.tsx'

const texts = alertsTexts.copyAlert

const confirmedMs = 1500

/** Copies an alert as the verification page and the command line take it. */
export function CopyAlert({ alert }: { alert: Alert }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), confirmedMs)
    return () => clearTimeout(timer)
  }, [copied])

  async function copy() {
    await navigator.clipboard.writeText(JSON.stringify(alert, null, 2))
    setCopied(true)
  }

  const Icon = copied ? Check : Copy
  return (
    <Button size="sm" onClick={() => void copy()}>
      <Icon aria-hidden size={16} strokeWidth={2.25} />
      {copied ? texts.copied : texts.copyAlertJson}
    </Button>
  )
}
