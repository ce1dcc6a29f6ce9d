import type { DestinationKind, QuietHours } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS } from '@tocsin/protocol/durations'
import { accounts } from '@tocsin/server/db/schema/accounts.ts'
import type { destinations } from '@tocsin/server/db/schema/channels.ts'
import { eq } from 'drizzle-orm'
import type { Fixture } from './fixture.ts'

/**
 * Failure mode of the endpoint. `outage`: an outage of two hours. `long`: an outage of more than a
 * day. `endless`: an outage without an end. `gone`: the endpoint no longer exists.
 */
type FailureMode = 'outage' | 'long' | 'endless' | 'gone'

interface Template {
  kind: DestinationKind
  fate?: FailureMode
  /**
   * Name of the account. Templates with the same name share one; without a name, each has its own.
   */
  account?: string
  /** What the owner or the simulation does with the destination. */
  role?: 'paused' | 'muted' | 'redelivered' | 'witness' | 'second step'
  settings?: Omit<Partial<typeof destinations.$inferInsert>, 'id'>
  /** Allowed reasons for alerts that this destination skips. */
  allowedSkipReasons?: RegExp
}

export interface SimulatedDestination extends Template {
  number: number
  id: string
  accountId: string
  name: string
}

const kinds: DestinationKind[] = ['webhook', 'discord', 'slack', 'ntfy', 'telegram', 'email', 'web-push']
const everyDay = [1, 2, 3, 4, 5, 6, 7]
const nightQuietHours = {
  days: everyDay,
  from: 22 * 60,
  to: 6 * 60,
  timeZone: 'UTC',
  criticalPasses: true,
} satisfies QuietHours
const morningQuietHours = { ...nightQuietHours, from: 7 * 60, to: 9 * 60, criticalPasses: false }
const hourlyDigest = { digest: { every: 'hour' } } as const
const dailyDigest = { digest: { every: 'day', hour: 8, timeZone: 'Europe/Berlin' } } as const
const failingReason = /^The destination was failing$/
const planEndedReason = /^No active plan$/
/** Name of the account whose plan ends during the simulation. */
export const ENDING_ACCOUNT = 'ending'
const PLAN_ENDS_AFTER_MS = 12.1 * HOUR_MS

const templates: Template[] = [
  ...kinds.flatMap((kind): Template[] => [{ kind }, { kind, fate: 'outage' }]),
  { kind: 'email', settings: hourlyDigest, fate: 'outage' },
  { kind: 'email', settings: dailyDigest },
  { kind: 'webhook', settings: hourlyDigest, fate: 'outage', role: 'redelivered' },
  { kind: 'web-push', settings: hourlyDigest },
  { kind: 'telegram', settings: hourlyDigest },
  { kind: 'slack', settings: dailyDigest },
  { kind: 'web-push', settings: { quietHours: nightQuietHours } },
  { kind: 'email', settings: { quietHours: nightQuietHours } },
  { kind: 'discord', settings: { quietHours: morningQuietHours } },
  { kind: 'webhook', settings: { rules: { mostPerHour: 1 } } },
  { kind: 'telegram', settings: { rules: { mostPerHour: 1 } } },
  { kind: 'ntfy', settings: { rules: { coolDownMinutes: 120 } }, allowedSkipReasons: /^Rule: cool-down/ },
  { kind: 'webhook', settings: { escalationStep: 0 }, account: 'escalation' },
  {
    kind: 'slack',
    settings: { escalationStep: 1 },
    account: 'escalation',
    role: 'second step',
    allowedSkipReasons: /^Acknowledged/,
  },
  { kind: 'webhook', settings: { events: ['anchored'] } },
  { kind: 'webhook', role: 'paused', allowedSkipReasons: /^The destination was paused$/ },
  { kind: 'slack', role: 'muted' },
  { kind: 'webhook', account: ENDING_ACCOUNT, allowedSkipReasons: planEndedReason },
  { kind: 'email', account: ENDING_ACCOUNT, allowedSkipReasons: planEndedReason, settings: hourlyDigest },
]

/**
 * Destinations that fail for a day or no longer exist, and `witness` destinations, through which
 * the owner is notified.
 */
const failingTemplates: Template[] = [
  { kind: 'webhook', fate: 'long', account: 'long', allowedSkipReasons: failingReason },
  { kind: 'email', fate: 'long', account: 'long', allowedSkipReasons: failingReason },
  { kind: 'telegram', fate: 'long', account: 'long', allowedSkipReasons: failingReason },
  { kind: 'web-push', fate: 'long', account: 'long', allowedSkipReasons: failingReason, settings: hourlyDigest },
  { kind: 'webhook', account: 'long', role: 'witness' },
  { kind: 'webhook', fate: 'endless', account: 'endless', allowedSkipReasons: failingReason },
  {
    kind: 'ntfy',
    fate: 'endless',
    account: 'endless',
    allowedSkipReasons: failingReason,
    settings: { quietHours: nightQuietHours },
  },
  { kind: 'webhook', account: 'endless', role: 'witness' },
  { kind: 'web-push', fate: 'gone', account: 'gone' },
  { kind: 'discord', fate: 'gone', account: 'gone' },
  { kind: 'telegram', fate: 'gone', account: 'gone' },
  { kind: 'email', fate: 'gone', account: 'gone', settings: hourlyDigest },
  { kind: 'webhook', account: 'gone', role: 'witness' },
]

const getPath = (kind: DestinationKind, number: number) =>
  ({
    webhook: `/hook/${number}`,
    discord: `/api/webhooks/${number}`,
    slack: `/services/${number}`,
    ntfy: `/topic-${number}`,
    telegram: `/${number}`,
    email: `member-${number}@example.com`,
    'web-push': `/push/${number}`,
  })[kind]

/**
 * Adds the destinations, each with its own host.
 * @param isLong whether the simulation takes more than a day, so that destinations can fail for a
 *   day
 */
export async function addMembers(fixture: Fixture, isLong: boolean): Promise<SimulatedDestination[]> {
  const accountIds = new Map<string, string>()
  const members: SimulatedDestination[] = []
  for (const [at, template] of [...templates, ...(isLong ? failingTemplates : [])].entries()) {
    const number = at + 1
    const account = template.account ?? `own-${number}`
    const accountId =
      accountIds.get(account) ??
      (await fixture.addAccount(account === ENDING_ACCOUNT ? PLAN_ENDS_AFTER_MS : 100 * DAY_MS))
    accountIds.set(account, accountId)
    await fixture.ctx.db
      .update(accounts)
      .set({ email: getOwnerEmail(account) })
      .where(eq(accounts.id, accountId))
    const name = getPath(template.kind, number)
    const id = await fixture.addDestination(accountId, template.kind, name, `127.0.1.${number}`, template.settings)
    members.push({ ...template, account, number, id, accountId, name })
  }
  return members
}

export const getOwnerEmail = (account: string) => `${account}@owners.example`
