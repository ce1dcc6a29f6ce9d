import { type PlanId, planIds } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { browserStorage } from '../browser/browser-storage.ts'
import { readStoredRecord, store } from '../browser/stored-json.ts'

const storageKey = 'chosenPlan'
/** Maximum age of the stored plan. It is long enough for a sign-up with email confirmation. */
const maxAgeMs = 2 * HOUR_MS

const parsePlan = (value: unknown): PlanId | null => planIds.find((id) => id === value) ?? null

/** The plan in a query string, for example "?plan=24h". */
export function findPlanInUrl(search: string): PlanId | null {
  return parsePlan(new URLSearchParams(search).get('plan'))
}

/**
 * Stores the plan that a visitor chose before signing in. The URL is not enough: the link in the
 * confirmation email opens another page.
 */
export function rememberChosenPlan(plan: PlanId, nowMs: number): void {
  store(storageKey, { planId: plan, chosenAtMs: nowMs })
}

/** Returns the plan in the URL, else the stored plan. Deletes the stored plan. */
export function consumeChosenPlan(search: string, nowMs: number): PlanId | null {
  const { planId, chosenAtMs } = readStoredRecord(storageKey)
  browserStorage.removeItem(storageKey)
  const isFresh = typeof chosenAtMs === 'number' && nowMs - chosenAtMs < maxAgeMs
  return findPlanInUrl(search) ?? (isFresh ? parsePlan(planId) : null)
}
