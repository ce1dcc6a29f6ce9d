import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'

const feedbackMs = 1500

/**
 * Copies text to the clipboard. `feedback` is the result of the last copy for 1.5 s afterwards,
 * then null. `Icon` shows a success.
 */
export function useCopied() {
  const [feedback, setFeedback] = useState<'Copied' | 'Copy failed' | null>(null)
  useEffect(() => {
    if (feedback === null) return
    const timer = setTimeout(() => setFeedback(null), feedbackMs)
    return () => clearTimeout(timer)
  }, [feedback])

  /**
   * Returns false if the browser denies access to the clipboard, or has none because the page has
   * no HTTPS.
   */
  async function copy(text: string): Promise<boolean> {
    try {
      await navigator.clipboard.writeText(text)
      setFeedback('Copied')
      return true
    } catch {
      setFeedback('Copy failed')
      return false
    }
  }

  return { feedback, Icon: feedback === 'Copied' ? Check : Copy, copy }
}
