import { useEffect } from 'react'

/** What a tab did that changes what the others show: who is signed in or which wallets are proved, what is being paid, what was bought, what was chosen, or which alerts were read. */
type News = 'session' | 'purchase' | 'subscription' | 'preferences' | 'reads'

const channel = openChannel()

/** Some browsers refuse the channel where they refuse storage: this tab still hears what it is told itself. */
function openChannel(): EventTarget & Pick<BroadcastChannel, 'postMessage'> {
  try {
    return new BroadcastChannel('tocsin')
  } catch {
    return Object.assign(new EventTarget(), { postMessage() {} })
  }
}

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
    const listen = (event: Event) => {
      if (event instanceof MessageEvent && event.data === news) onNews()
    }
    channel.addEventListener('message', listen)
    return () => channel.removeEventListener('message', listen)
  }, [news, onNews])
}
