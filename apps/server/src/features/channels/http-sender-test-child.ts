import type { HttpMessage } from './http-message.ts'
import { pauseSending, sendHttp } from './http-sender.ts'

/** Sends messages of a test in a process that has a thread for them, as the server does. */
export interface Wanted {
  message: HttpMessage
  startByMs: number
  /** Said when it is asked again; the report says if it was. */
  isEntitled?: boolean
  stopAfterMs?: number
  pauseMs?: number
}

process.on('message', ({ message, startByMs, isEntitled = true, stopAfterMs, pauseMs }: Wanted) => {
  if (pauseMs !== undefined) pauseSending(pauseMs)
  let isAsked = false
  const limits = {
    signal: stopAfterMs === undefined ? new AbortController().signal : AbortSignal.timeout(stopAfterMs),
    startByMs,
    endsAtMs: Number.POSITIVE_INFINITY,
    isEntitled: async () => {
      isAsked = true
      return isEntitled
    },
  }
  // The channel of messages turns dates into text.
  sendHttp({ ...message, at: new Date(message.at) }, limits).then(
    (answer) => process.send?.({ answer, isAsked }),
    (error: Error) => process.send?.({ error: error.name, isAsked }),
  )
})
