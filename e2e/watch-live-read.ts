import { expect, type Page, type Request } from '@playwright/test'

/**
 * Call before the page opens its alert stream. Returns a function that waits until the page has
 * read the newest alerts, which it does once more after its stream has become live. Wait for this
 * before you create an alert that the page must announce or count as missed: if the response
 * contained the alert, the page would know it already.
 */
export function watchLiveRead(page: Page): () => Promise<void> {
  const liveReads = new Set<Request>()
  let isLive = false
  let hasRead = false
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (String(payload).includes('"type":"live"')) isLive = true
    }),
  )
  page.on('request', (request) => {
    if (isLive && request.url().endsWith('/api/alerts/recent?limit=10')) liveReads.add(request)
  })
  page.on('requestfinished', (request) => {
    if (liveReads.has(request)) hasRead = true
  })
  return () => expect.poll(() => hasRead, 'the page has read the newest alerts').toBe(true)
}
