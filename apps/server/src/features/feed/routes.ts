import type { endpoints } from '@tocsin/protocol'
import { getAuditActor, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import { createPage, parseCursor } from '../../http/cursor.ts'
import { assertRecentAuthentication, type Handler, type Input, requireActor } from '../../http/route.ts'
import { assertEndpoint, chooseKey, describeFeed, describeKey, removeQuery, saveFeed } from './configure-feed.ts'
import { findReport } from './feed-report.ts'
import { FEED_SETTING, readFeedForm } from './feed-settings.ts'
import { isSilent } from './receive-statuses.ts'
import * as store from './store.ts'
import { testFeed as connectOnce, type TestTimes } from './test-feed.ts'

type Endpoints = typeof endpoints

export const findFeedConfig: Handler<Endpoints['findFeedConfig']> = (ctx) => describeFeed(ctx)

export const saveFeedConfig: Handler<Endpoints['saveFeedConfig']> = async (ctx, input) => {
  const actor = requireActor(input)
  // The feed issues alerts, so accounts with a second factor must reauthenticate for each change.
  if (actor.hasFactor) assertRecentAuthentication(actor, ctx.clock.now())
  await saveFeed(ctx, actor, getAuditActor(input), input.body)
  const state = input.body.isEnabled ? 'is reconnecting' : 'is disabled'
  return { success: true, message: `The signal feed was saved and ${state}.` }
}

/**
 * Tests the submitted form or the saved settings. After a successful test of the saved settings, a
 * feed without a connection connects immediately. An open connection is kept.
 */
export async function testFeed(ctx: Context, input: Input<Endpoints['testFeed']>, times?: TestTimes) {
  const enteredForm = input.body ?? {}
  const savedForm = await readFeedForm(ctx, { withoutKey: true })
  const endpoint = enteredForm.externalEndpoint ?? savedForm.externalEndpoint
  assertEndpoint(ctx, endpoint)
  const apiKey = await chooseKey(ctx, requireActor(input), {
    externalEndpoint: endpoint,
    apiKey: enteredForm.apiKey,
  })
  const outcome = await connectOnce(ctx, { endpoint, apiKey }, times)
  const isTestOfSaved = Object.keys(enteredForm).length === 0
  const { state } = await findReport(ctx)
  const isConnecting = state === 'connecting' || state === 'connected' || state === 'stale'
  const at = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    const detail = {
      success: outcome.success,
      saved: isTestOfSaved,
      endpoint: removeQuery(endpoint),
      key: describeKey(enteredForm, apiKey),
    }
    await recordAudit(tx, { ...getAuditActor(input), action: 'feed_tested', subject: FEED_SETTING, detail, at })
    if (isTestOfSaved && outcome.success && !isConnecting) await ctx.notifications.notify(tx, 'settings', FEED_SETTING)
  })
  return outcome
}

export const findEngineStatus: Handler<Endpoints['findEngineStatus']> = async (ctx) => {
  const now = ctx.clock.now()
  const engineRow = await store.findEngineStatus(ctx.db)
  return {
    now: now.toISOString(),
    receivedAt: engineRow?.receivedAt.toISOString() ?? null,
    isSilent: engineRow !== null && isSilent(engineRow, now),
    status: engineRow?.status ?? null,
  }
}

export const listRefusedSignals: Handler<Endpoints['listRefusedSignals']> = async (ctx, { query }) => {
  const { cursor, limit } = query
  const rows = await store.listRefused(ctx.db, { beforeId: parseCursor(cursor), limit: limit + 1 })
  const { items, nextCursor } = createPage(rows, limit, ({ id }) => String(id))
  return {
    items: items.map(({ id, at, raw, reason }) => ({ id: String(id), at: at.toISOString(), raw, reason })),
    nextCursor,
  }
}
