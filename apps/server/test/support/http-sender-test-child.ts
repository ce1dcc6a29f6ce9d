import { type HttpMessage, unlimited } from '../../src/features/channels/http-message.ts'
import { pauseSending, sendHttp } from '../../src/features/channels/http-sender.ts'

/** Sends messages of a test in a process that has a thread for them, as the server does. */
export interface Wanted {
  message: HttpMessage
  startByMs: number
  /** Said when it is asked again; the report says if it was. */
  isEntitled?: boolean
  /** Until it can be said, the same message is sent a second time, without a limit. */
  sendsSecond?: boolean
  stopAfterMs?: number
  pauseMs?: number
}

process.on('message', ({ message: sent, startByMs, isEntitled = true, sendsSecond, stopAfterMs, pauseMs }: Wanted) => {
  // The channel of messages turns dates into text.
  const message = { ...sent, at: new Date(sent.at) }
  if (pauseMs !== undefined) pauseSending(pauseMs)
  let isAsked = false
  const limits = {
    signal: stopAfterMs === undefined ? new AbortController().signal : AbortSignal.timeout(stopAfterMs),
    startByMs,
    endsAtMs: Number.POSITIVE_INFINITY,
    isEntitled: async () => {
      isAsked = true
      if (sendsSecond) await sendHttp(message, { ...unlimited, signal: new AbortController().signal })
      return isEntitled
    },
  }
  sendHttp(message, limits).then(
    (answer) => process.send?.({ answer, isAsked }),
    (error: Error) => process.send?.({ error: error.name, isAsked }),
  )
})
