import { useEffect, useState } from 'react'

const feedbackMs = 1500

/** Copies text to the clipboard; `copied` is true for 1.5 s afterwards. */
export function useCopied() {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), feedbackMs)
    return () => clearTimeout(timer)
  }, [isCopied])

  async function copy(text: string): Promise<void> {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }

  return { isCopied, copy }
}
