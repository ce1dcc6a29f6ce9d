import { feedStates, type SystemStatus } from '@tocsin/protocol'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { pause } from '../../db/leader.ts'
import { connectFeed } from './connect-feed.ts'
import { FEED_SETTING, type FeedSettings, findFeedSettings } from './feed-settings.ts'
import { type IssueAlert, receiveSignal } from './receive-signal.ts'
import * as store from './store.ts'

const STATE_REFRESH_MS = 10_000
/** A state that nobody has refreshed for this long is of an instance that is gone; another one is taking over. */
const STATE_STALE_MS = 35_000

/**
 * Keeps the one connection to the signal feed, for as long as this instance leads. New settings (wake-up `settings` with the key `feed`)
 * begin it anew.
 */
export async function runFeed(ctx: Context, signal: AbortSignal, deps: { issueAlert: IssueAlert }): Promise<void> {
  while (!signal.aborted) {
    const changed = new AbortController()
    const stopListening = ctx.wake.on('settings', (key) => {
      if (key === FEED_SETTING || key === '') changed.abort()
    })
    try {
      const settings = await findFeedSettings(ctx)
      // What was received before a change is still settled: that ends only with the leadership.
      const settle = (raw: string | null) => receiveSignal(ctx, deps.issueAlert, raw, signal)
      await keepConnected(ctx, settings, settle, AbortSignal.any([signal, changed.signal]))
    } finally {
      stopListening()
    }
  }
}

/** Until `signal`: connects, again after each end, and gives up after so many attempts in a row. */
async function keepConnected(
  ctx: Context,
  settings: FeedSettings | null,
  settle: (raw: string | null) => Promise<void>,
  signal: AbortSignal,
) {
  const state = await showState(ctx, settings ? 'connecting' : 'off')
  try {
    for (let retries = 0; settings && retries <= settings.maxRetries && !signal.aborted; retries++) {
      const reason = await connectFeed(
        {
          ...settings,
          allowPrivate: ctx.config.feed.allowPrivate,
          onOpen: () => {
            retries = 0
            state.show('connected')
          },
          onMessage: settle,
        },
        signal,
      )
      if (signal.aborted) return
      ctx.logger.warn({ reason, retries }, 'the signal feed is not connected')
      if (retries === settings.maxRetries) break
      state.show('reconnecting')
      await pause(settings.reconnectIntervalMs, signal)
    }
    if (settings && !signal.aborted) state.show('failed')
    await untilAborted(signal)
  } finally {
    await state.stop()
  }
}

/** Writes the state where every instance reads it, and again as a sign of life. */
async function showState(ctx: Context, first: store.FeedState) {
  let state = first
  let work = store.saveState(ctx.db, state, ctx.clock.now())
  await work
  const save = () => {
    work = work
      .then(() => store.saveState(ctx.db, state, ctx.clock.now()))
      .catch((error) => ctx.logger.error({ err: error }, 'saving the state of the feed failed'))
  }
  const timer = setInterval(save, STATE_REFRESH_MS)
  return {
    show(next: store.FeedState) {
      state = next
      save()
    },
    async stop() {
      clearInterval(timer)
      await work
    },
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Measured, the same on every instance. `signalsReceived` counts those refused too; a repeated signal counts once. */
export async function feedStatus(ctx: Context): Promise<SystemStatus['feed']> {
  const [counts, stored] = await Promise.all([store.readCounts(ctx.db), store.findState(ctx.db)])
  const lastMs = Math.max(counts.acceptedAt?.getTime() ?? 0, counts.refusedAt?.getTime() ?? 0)
  return {
    state: currentState(stored, ctx.clock.now()),
    signalsReceived: counts.accepted + counts.refused,
    signalsRefused: counts.refused,
    lastSignalAt: lastMs === 0 ? null : new Date(lastMs).toISOString(),
  }
}

/** Why no signals arrive; null while the feed is connected, or there is none. */
export async function findFeedTrouble(ctx: Context): Promise<string | null> {
  const state = currentState(await store.findState(ctx.db), ctx.clock.now())
  if (state === 'reconnecting') return 'the signal feed is not connected, trying again'
  return state === 'failed' ? 'the signal feed could not be reached, given up until it is saved again' : null
}

function currentState(stored: { state: unknown; at: Date } | null, now: Date): store.FeedState {
  if (!stored) return 'off'
  const state = z.enum(feedStates).parse(stored.state)
  const isStale = now.getTime() - stored.at.getTime() > STATE_STALE_MS
  return isStale && state !== 'off' ? 'reconnecting' : state
}
