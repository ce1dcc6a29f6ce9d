import type { Context } from '../../context.ts'
import { pause } from '../../pause.ts'
import { pauseSending } from './http-sender.ts'

/**
 * Length of a pause of the channels per subscriber of the live stream. In a benchmark with 5,000
 * subscribers, whose clients ran on the same two cores as the server, the last one had read the
 * alert after about 110 ms.
 */
const MS_PER_RECEIVER = 110 / 5_000
const MAX_PAUSE_MS = 110

/**
 * Gives the live stream a head start: the channels pause when the commit of an alert begins, and
 * again when the stream is about to write the alert to its sockets. The stream runs in the same
 * process, and its subscribers expect alerts within milliseconds. The channels pause for at most
 * half of the time, so that they also send when alerts are frequent.
 */
export interface ChannelPause {
  /**
   * Call this when an alert has been committed and the stream is about to write it to its sockets.
   */
  begin(): void
  /** Resolves when the head start is over or the signal aborts. */
  waitForEnd(): Promise<void>
}

export function createChannelPause(
  { issued }: Pick<Context, 'issued'>,
  signal: AbortSignal,
  { nowMs = () => performance.now(), pauseThread = pauseSending } = {},
): ChannelPause {
  let untilMs = Number.NEGATIVE_INFINITY
  const beginPause = () => {
    const now = nowMs()
    const lengthMs = Math.min(MAX_PAUSE_MS, issued.countReceivers() * MS_PER_RECEIVER)
    if (now < untilMs + lengthMs) return
    untilMs = now + lengthMs
    pauseThread(lengthMs)
  }
  issued.onCommit = beginPause
  return {
    begin: beginPause,
    async waitForEnd() {
      const remainingMs = untilMs - nowMs()
      if (remainingMs > 0) await pause(remainingMs, signal)
    },
  }
}
