import type { endpoints } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { GrammyError } from 'grammy'
import type { Context } from '../../context.ts'
import type { Handler } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { cacheLarge } from '../../stale-while-revalidate.ts'
import { readChannelFigures } from './admin-store.ts'
import { findPushKey } from './push/vapid-keys.ts'
import { createTelegramApi } from './send.ts'

type Endpoints = typeof endpoints

const MAX_UNCACHED_DELIVERIES = 10_000
const isLarge = (rows: Awaited<ReturnType<typeof readChannelFigures>>) =>
  rows.reduce(
    (sum, { waiting, deliveredLastDay, failedLastDay }) => sum + waiting + deliveredLastDay + failedLastDay,
    0,
  ) > MAX_UNCACHED_DELIVERIES

/**
 * Cached, because with thousands of destinations there are millions of deliveries a day, and admin
 * pages poll every 30 seconds.
 */
export const findChannelFigures = cacheLarge(
  { isLarge, freshMs: 20_000, staleMs: 5 * MINUTE_MS },
  ({ clock, db }: Pick<Context, 'clock' | 'db'>) => {
    const nowAt = clock.now()
    const msBefore = (ms: number) => new Date(nowAt.getTime() - ms)
    return readChannelFigures(db, nowAt, { hour: msBefore(HOUR_MS), day: msBefore(DAY_MS) })
  },
)

export const adminChannels: Handler<Endpoints['adminChannels']> = async (ctx) => {
  const rows = await findChannelFigures(ctx)
  return {
    kinds: rows.map((row) => ({ ...row, oldestDueAt: row.oldestDueAt?.toISOString() ?? null })),
    hasTelegramBot: ctx.config.telegram !== null,
    canPush: (await findPushKey(ctx)) !== null,
  }
}

/** Asks Telegram which bot the token belongs to. The response never contains the token. */
export const testTelegramBot: Handler<Endpoints['testTelegramBot']> = async (ctx) => {
  const api = createTelegramApi(ctx)
  if (!api) throw new Refusal('kind_not_offered', 'This site has no Telegram bot. Set TELEGRAM_BOT_TOKEN.')
  const startMs = performance.now()
  const measureTookMs = () => Math.round(performance.now() - startMs)
  try {
    const { username } = await api.getMe()
    return { isWorking: true, message: `The token is that of @${username}.`, tookMs: measureTookMs() }
  } catch (error) {
    const message =
      error instanceof GrammyError ? `Telegram says: ${error.description}` : 'Telegram could not be reached.'
    return { isWorking: false, message, tookMs: measureTookMs() }
  }
}
