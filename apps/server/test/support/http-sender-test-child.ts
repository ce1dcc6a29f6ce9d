import { type HttpMessage, noLimits } from '../../src/features/channels/http-message.ts'
import { pauseSending, sendHttp } from '../../src/features/channels/http-sender.ts'

/**
 * A message that this process sends for a test. The process has a thread for messages, as the
 * server does.
 */
export interface SendCommand {
  message: HttpMessage
  startByMs: number
  /**
   * Result of the entitlement check that the sender repeats if sending begins too late after the
   * first check. The report to the test states whether the check was made.
   */
  isEntitled?: boolean
  /**
   * If true, the same message is sent a second time, without limits, while the entitlement is
   * checked.
   */
  sendsSecond?: boolean
  stopAfterMs?: number
  pauseMs?: number
}

process.on(
  'message',
  ({ message: sentMessage, startByMs, isEntitled = true, sendsSecond, stopAfterMs, pauseMs }: SendCommand) => {
    // The message channel converts dates to text.
    const message = { ...sentMessage, at: new Date(sentMessage.at) }
    if (pauseMs !== undefined) pauseSending(pauseMs)
    let isAsked = false
    const limits = {
      signal: stopAfterMs === undefined ? new AbortController().signal : AbortSignal.timeout(stopAfterMs),
      startByMs,
      endsAtMs: Number.POSITIVE_INFINITY,
      isEntitled: async () => {
        isAsked = true
        if (sendsSecond) await sendHttp(message, { ...noLimits, signal: new AbortController().signal })
        return isEntitled
      },
    }
    sendHttp(message, limits).then(
      (answer) => process.send?.({ answer, isAsked }),
      (error: Error) => process.send?.({ error: error.name, isAsked }),
    )
  },
)
