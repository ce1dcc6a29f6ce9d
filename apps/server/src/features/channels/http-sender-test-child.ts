import type { HttpMessage } from './http-message.ts'
import { pauseSending, sendHttp } from './http-sender.ts'

/** Sends messages of a test in a process that has a thread for them, as the server does. */
export interface Wanted {
  message: HttpMessage
  stopAfterMs?: number
  pauseMs?: number
}

process.on('message', ({ message, stopAfterMs, pauseMs }: Wanted) => {
  if (pauseMs !== undefined) pauseSending(pauseMs)
  const signal = stopAfterMs === undefined ? new AbortController().signal : AbortSignal.timeout(stopAfterMs)
  // The channel of messages turns dates into text.
  sendHttp({ ...message, at: new Date(message.at) }, signal).then(
    (answer) => process.send?.({ answer }),
    (error: Error) => process.send?.({ error: error.name }),
  )
})
