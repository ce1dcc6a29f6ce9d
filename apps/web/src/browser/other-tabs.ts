import { useEffect } from 'react'

/**
 * What changed: the signed-in user or their proved wallets ('session'), a payment in progress
 * ('purchase'), the plan ('subscription'), the preferences, which alerts are read ('reads'), or
 * which alerts are acknowledged ('acknowledgements').
 */
type Topic = 'session' | 'purchase' | 'subscription' | 'preferences' | 'reads' | 'acknowledgements'

const channel = openChannel()

/**
 * Some browsers block BroadcastChannel together with storage. The fallback delivers only events of
 * this tab.
 */
function openChannel(): EventTarget & Pick<BroadcastChannel, 'postMessage'> {
  try {
    return new BroadcastChannel('tocsin')
  } catch {
    return Object.assign(new EventTarget(), { postMessage() {} })
  }
}

/** Tells this browser's other tabs to refetch. The message contains only the topic. */
export function notifyOtherTabs(topic: Topic): void {
  channel.postMessage(topic)
}

/** Tells this tab to refetch, for changes made on another device. */
export function notifyThisTab(topic: Topic): void {
  channel.dispatchEvent(new MessageEvent('message', { data: topic }))
}

/** Calls `onChange` when another tab or device reports a change. Pass a stable function. */
export function useOtherTabs(topic: Topic, onChange: () => void): void {
  useEffect(() => {
    const listen = (event: Event) => {
      if ('data' in event && event.data === topic) onChange()
    }
    channel.addEventListener('message', listen)
    return () => channel.removeEventListener('message', listen)
  }, [topic, onChange])
}
