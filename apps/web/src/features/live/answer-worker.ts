import { streamStatus } from '../../stream/stream-status.ts'

/**
 * Answers the service worker when it asks whether this page announces alerts itself. Without a live
 * stream there is no answer. Returns a function that stops this.
 */
export function answerWorker(): (() => void) | undefined {
  if (!('serviceWorker' in navigator)) return
  const { serviceWorker } = navigator
  const answer = ({ data, ports }: MessageEvent) => {
    if (Object(data).type === 'is-live' && streamStatus.snapshot().state === 'live') ports[0]?.postMessage(true)
  }
  serviceWorker.addEventListener('message', answer)
  return () => serviceWorker.removeEventListener('message', answer)
}
