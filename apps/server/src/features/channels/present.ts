import type { ChannelDelivery, Destination } from '@tocsin/protocol'
import { completeRules } from './rules.ts'
import type { Health, listLedger, Destination as Row } from './store.ts'

const emptyHealth: Health = {
  lastDeliveredAt: null,
  medianMs: null,
  counts: { delivered: 0, waiting: 0, held: 0, skipped: 0, dead: 0 },
  missed: { missed: 0, missedFrom: null },
}

export function presentDestination(row: Row, health: Health = emptyHealth): Destination {
  const { lastDeliveredAt, medianMs, counts, missed } = health
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    host: row.host,
    state: row.state,
    publicKey: row.publicKey,
    events: row.events,
    mutedUntil: row.mutedUntil?.toISOString() ?? null,
    rules: completeRules(row.rules),
    quietHours: row.quietHours,
    digest: row.digest,
    escalationStep: row.escalationStep,
    createdAt: row.createdAt.toISOString(),
    failingSince: row.failingSince?.toISOString() ?? null,
    lastDeliveredAt: lastDeliveredAt?.toISOString() ?? null,
    medianMs,
    ...counts,
    ...missed,
  }
}

/** @param alert null if the owner cannot read it now, for example because the plan has ended */
export function presentDelivery(
  row: Awaited<ReturnType<typeof listLedger>>[number],
  alert: ChannelDelivery['alert'],
): ChannelDelivery {
  return {
    id: row.id,
    logIndex: row.logIndex,
    alert,
    event: row.event,
    state: row.state,
    reason: row.reason,
    createdAt: row.createdAt.toISOString(),
    nextAt: row.state === 'waiting' || row.state === 'held' ? row.nextAt.toISOString() : null,
    deliveredAt: row.deliveredAt?.toISOString() ?? null,
    tookMs: row.tookMs,
    attempts: row.tries.map(({ at, status, tookMs, response }) => ({
      at: at.toISOString(),
      status,
      tookMs,
      response,
    })),
  }
}
