import type { ChannelDelivery, Destination } from '@tocsin/protocol'
import type { BadgeTone } from '../../ui/badge.tsx'
import { formatCount, formatCountOf } from '../../ui/count.ts'

export const kindNames: Record<Destination['kind'], string> = {
  'web-push': 'Web push',
  webhook: 'Webhook',
  discord: 'Discord',
  slack: 'Slack',
  ntfy: 'ntfy',
  telegram: 'Telegram',
  email: 'Email',
}

export const eventNames: Record<ChannelDelivery['event'], string> = {
  alert: 'Alert',
  anchored: 'Anchored',
  outcome: 'Outcome',
}

/**
 * Returns the badge for the state of a destination. If a destination is on and the last attempt to
 * deliver failed, the badge says "Retrying".
 */
export function createBadge({ state, failingSince }: Destination): { tone: BadgeTone; word: string } {
  switch (state) {
    case 'on':
      return failingSince === null ? { tone: 'ok', word: 'On' } : { tone: 'medium', word: 'Retrying' }
    case 'unconfirmed':
      return { tone: 'neutral', word: 'Not confirmed' }
    case 'paused':
      return { tone: 'neutral', word: 'Paused' }
    case 'failing':
      return { tone: 'critical', word: 'Failing' }
    case 'gone':
      return { tone: 'neutral', word: 'Removed or blocked' }
  }
}

/** Returns whether a destination must be confirmed before it receives alerts. */
export function needsConfirmation({ state }: Destination): boolean {
  return state === 'unconfirmed' || state === 'gone'
}

export function formatSeconds(ms: number): string {
  return ms < 10 ? `${ms} ms` : `${(ms / 1_000).toFixed(ms < 995 ? 2 : 1)} s`
}

/**
 * Formats the number of deliveries of the last 7 days as delivered/due, or as one number if both
 * are equal.
 */
export function formatDeliveredShare({ delivered, waiting, dead }: Destination): string {
  const dueCount = delivered + waiting + dead
  return delivered === dueCount ? formatCount(dueCount) : `${formatCount(delivered)}/${formatCount(dueCount)}`
}

/**
 * Summarises the deliveries of all destinations: "In the last 7 days 163 deliveries were due: 160
 * delivered, 3 waiting, 0 failed."
 */
export function formatSummary(destinations: readonly Destination[]): string {
  const sum = (key: 'delivered' | 'waiting' | 'dead') => destinations.reduce((total, each) => total + each[key], 0)
  const [delivered, waiting, dead] = [sum('delivered'), sum('waiting'), sum('dead')]
  const dueCount = delivered + waiting + dead
  if (dueCount === 0) return 'In the last 7 days no delivery was due.'
  const dueText = formatCountOf(dueCount, 'delivery was due', 'deliveries were due')
  return `In the last 7 days ${dueText}: ${formatCount(delivered)} delivered, ${formatCount(waiting)} waiting, ${formatCount(dead)} failed.`
}

export const deliveryStyles: Record<ChannelDelivery['state'], { word: string; shape: 'dot' | 'ring'; color: string }> =
  {
    delivered: { word: 'Delivered', shape: 'dot', color: 'text-ok' },
    waiting: { word: 'Waiting', shape: 'dot', color: 'text-medium' },
    held: { word: 'Held', shape: 'ring', color: 'text-2' },
    skipped: { word: 'Skipped', shape: 'ring', color: 'text-2' },
    dead: { word: 'Failed', shape: 'dot', color: 'text-critical' },
  }

export function formatTries(count: number): string {
  return formatCountOf(count, 'try', 'tries')
}

/** Formats the response of the receiving service: its status and the beginning of its text. */
export function formatResponse({ status, response }: { status: number | null; response: string }): string {
  return status === null ? response : `${status} ${response}`.trim()
}
