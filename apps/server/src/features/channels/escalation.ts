import { MINUTE_MS } from '@tocsin/protocol/durations'

/** Time to acknowledge a critical alert before the next destination gets it. */
export const ESCALATE_AFTER_MS = 5 * MINUTE_MS

export const ESCALATION_REASON = 'Sent if it is not acknowledged'
export const ACKNOWLEDGED_REASON = 'Acknowledged before it was due here'

/**
 * Decides when each destination of an escalation gets a critical alert: the first one immediately,
 * each later one 5 minutes after the one before. Destinations that get nothing now, such as muted
 * ones, are left out and cause no delay.
 * @param destinations of one account that get the alert immediately by their rules
 * @returns the delays in ms of the later destinations, by id
 */
export function planEscalation(
  destinations: readonly { id: string; escalationStep: number | null }[],
): Map<string, number> {
  const stepDestinations = destinations
    .flatMap(({ id, escalationStep }) => (escalationStep === null ? [] : [{ id, escalationStep }]))
    .sort((a, b) => a.escalationStep - b.escalationStep)
  return new Map(stepDestinations.slice(1).map(({ id }, index) => [id, (index + 1) * ESCALATE_AFTER_MS]))
}
