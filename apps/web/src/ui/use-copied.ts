import { useEffect, useState } from 'react'

const confirmedMs = 1500

/** Copies texts, and knows for a moment that it has. */
export function useCopied() {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), confirmedMs)
    return () => clearTimeout(timer)
  }, [copied])

  async function copy(text: string): Promise<void> {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }

  return { copied, copy }
}
