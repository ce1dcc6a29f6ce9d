import type { Signal } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { pause } from '../../pause.ts'
import { connectFeed, type FeedConnection } from './connect-feed.ts'
import { getFeedOrigin, parseMessageType, parseSignal } from './parse-signal.ts'

export interface FeedTest {
  success: boolean
  message: string
  connectedAfterMs?: number
  firstSignal?: Signal
}

export interface TestTimes {
  /**
   * Time limit of the handshake. Also the minimum time before an unreachable endpoint is reported,
   * so that the timing does not reveal which services listen at an address.
   */
  connectTimeoutMs: number
  /** Time limit of the whole test. A slow handshake leaves less time for a signal. */
  totalMs: number
}

/**
 * Maximum duration of a test: shorter than the time after which proxies give up (10 s in
 * ops/nginx.conf).
 */
const TEST_MS = 8_000

const defaultTimes: TestTimes = { connectTimeoutMs: 5_000, totalMs: TEST_MS }

/** Connects to the feed and waits for the first signal. Stores nothing. */
export async function testFeed(
  ctx: Pick<Context, 'config' | 'clock'>,
  form: Pick<FeedConnection, 'endpoint' | 'apiKey' | 'resolve'>,
  times: TestTimes = defaultTimes,
): Promise<FeedTest> {
  const neverAborted = new AbortController().signal
  const minimumWait = pause(times.connectTimeoutMs, neverAborted)
  const stopController = new AbortController()
  const beganAtMs = performance.now()
  const connectTimer = setTimeout(() => stopController.abort(), times.connectTimeoutMs)
  let signalTimer: NodeJS.Timeout | undefined
  let connectedAfterMs: number | null = null
  let first: string | null | undefined
  try {
    const reason = await connectFeed(
      {
        ...form,
        allowPrivate: ctx.config.feed.allowPrivate,
        onOpen: () => {
          clearTimeout(connectTimer)
          connectedAfterMs = Math.round(performance.now() - beganAtMs)
          signalTimer = setTimeout(() => stopController.abort(), times.totalMs - connectedAfterMs)
        },
        onMessages: async (raws) => {
          // Skip other messages: a feed sends the outcomes of earlier signals again on each
          // connection.
          const signalText = raws.find((one) => one === null || parseMessageType(one) === 'signal')
          if (signalText === undefined) return
          first ??= signalText
          stopController.abort()
        },
      },
      stopController.signal,
    )
    if (connectedAfterMs === null) {
      await minimumWait
      return { success: false, message: stopController.signal.aborted ? 'The endpoint could not be reached' : reason }
    }
    const outcome = evaluate(ctx, first, stopController.signal.aborted ? null : reason)
    return { ...outcome, connectedAfterMs }
  } finally {
    clearTimeout(connectTimer)
    clearTimeout(signalTimer)
  }
}

/**
 * @param endReason why the feed closed the connection before the first signal; null if it stayed
 *   open
 */
function evaluate(
  ctx: Pick<Context, 'config' | 'clock'>,
  first: string | null | undefined,
  endReason: string | null,
): Omit<FeedTest, 'connectedAfterMs'> {
  if (first === undefined) {
    if (endReason !== null) return { success: false, message: `Connected, then: ${endReason}` }
    return {
      success: true,
      message: `Connected and authenticated. No signal came within the ${TEST_MS / 1_000} seconds of a test: the feed may be quiet.`,
    }
  }
  const parsedSignal =
    first === null
      ? ({ ok: false, reason: 'Not text' } as const)
      : parseSignal(first, ctx.clock.now(), getFeedOrigin(ctx.config))
  if (!parsedSignal.ok)
    return { success: false, message: `Connected, but the first signal is not valid. ${parsedSignal.reason}` }
  return {
    success: true,
    message: 'Connected, authenticated, and the first signal is valid.',
    firstSignal: parsedSignal.signal,
  }
}
