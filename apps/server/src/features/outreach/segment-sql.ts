import type { AdminMessage, Segment } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { type SQL, sql } from 'drizzle-orm'
import { subscriptions } from '../../db/schema/subscriptions.ts'
import { toTimestamp } from '../../db/to-timestamp.ts'
import { isRunningAt, isValid } from '../subscriptions/store.ts'

export interface Recipients extends Pick<AdminMessage, 'via' | 'kind'> {
  segment: Segment
}

/** Selects the ids of the accounts that get a message created at `now`. */
export function selectRecipients({ segment, via, kind }: Recipients, now: Date): SQL {
  const conditions = [
    sql`a.suspended_at is null`,
    createCondition(segment, now),
    via === 'mail' ? sql`a.email is not null and a.email_verified_at is not null` : hasDestination(now),
    ...(kind === 'news' ? [receivesNews] : []),
  ]
  return sql`select a.id from accounts a where ${sql.join(conditions, sql` and `)}`
}

const hasPlan = (now: Date, planCondition = sql`true`) =>
  sql`exists (select 1 from ${subscriptions} where account_id = a.id and ${isRunningAt(now)} and ${planCondition})`
const selectLastPlanEnd = sql`(select max(ends_at) from ${subscriptions} where account_id = a.id and ${isValid})`

function createCondition(segment: Segment, now: Date): SQL {
  switch (segment.kind) {
    case 'all':
      return sql`true`
    case 'with-plan':
      return hasPlan(now)
    case 'ending':
      return sql`${hasPlan(now)} and ${selectLastPlanEnd} <= ${toTimestamp(new Date(now.getTime() + segment.days * DAY_MS))}`
    case 'ended': {
      const endedAfter = toTimestamp(new Date(now.getTime() - segment.days * DAY_MS))
      return sql`${selectLastPlanEnd} <= ${toTimestamp(now)} and ${selectLastPlanEnd} > ${endedAfter}`
    }
    case 'never-bought':
      return sql`not exists (select 1 from payments p where p.account_id = a.id and p.reverted_at is null)`
    case 'by-plan':
      return hasPlan(now, sql`plan_id = ${segment.planType}`)
    case 'by-chain':
      return sql`exists (select 1 from payments p where p.account_id = a.id and p.chain_id = ${segment.chainId}
        and p.reverted_at is null)`
  }
}

/**
 * Channels send nothing without a plan, so only accounts with a plan can be reached through them.
 */
const hasDestination = (now: Date) =>
  sql`${hasPlan(now)} and exists (select 1 from destinations d where d.account_id = a.id and d.state = 'on'
    and d.failing_since is null)`

const receivesNews = sql`(a.email is null or not exists (select 1 from mail_suppressions m
  where m.email_hash = encode(sha256(convert_to(a.email, 'UTF8')), 'hex')))`
