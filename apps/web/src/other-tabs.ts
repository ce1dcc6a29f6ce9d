import { useEffect } from 'react'

/** What a tab did that changes what the others show: who is signed in or which wallets are proved, what is being paid, what was bought, what was chosen, or which alerts were read. */
type News = 'session' | 'purchase' | 'subscription' | 'preferences' | 'reads'

const channel = new BroadcastChannel('tocsin')

/** Tells this browser's other tabs to ask the server again. It carries no facts: the server has them. */
export function tellOtherTabs(news: News): void {
  channel.postMessage(news)
}

/** The same for what another device did: this tab was told itself. */
export function tellThisTab(news: News): void {
  channel.dispatchEvent(new MessageEvent('message', { data: news }))
}

/** Runs `onNews` when another tab of this browser, or another device, has done it. Pass a stable function. */
export function useOtherTabs(news: News, onNews: () => void): void {
  useEffect(() => {
    const listen = ({ data }: MessageEvent) => {
      if (data === news) onNews()
    }
    channel.addEventListener('message', listen)
    return () => channel.removeEventListener('message', listen)
  }, [news, onNews])
}
