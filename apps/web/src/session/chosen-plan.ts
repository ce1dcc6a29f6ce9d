import { type PlanId, planIds } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { z } from 'zod'
import { browserStorage } from '../browser/browser-storage.ts'

const storageKey = 'chosenPlan'
/** Long enough for a sign-up with email confirmation. */
const maxAgeMs = 2 * HOUR_MS

const planId = z.enum(planIds)
const stored = z.object({ planId, chosenAtMs: z.number() })

/** The plan in a query string, for example "?plan=24h". */
export function planInAddress(search: string): PlanId | null {
  return planId.safeParse(new URLSearchParams(search).get('plan')).data ?? null
}

/**
 * Stores the plan that a visitor chose before signing in. The URL is not enough: the link in the
 * confirmation mail opens another page.
 */
export function rememberChosenPlan(plan: PlanId, nowMs: number): void {
  browserStorage.setItem(storageKey, JSON.stringify({ planId: plan, chosenAtMs: nowMs }))
}

/** Returns the chosen plan and deletes it from storage. */
export function takeChosenPlan(search: string, nowMs: number): PlanId | null {
  const text = browserStorage.getItem(storageKey)
  browserStorage.removeItem(storageKey)
  return planInAddress(search) ?? readStored(text, nowMs)
}

function readStored(text: string | null, nowMs: number): PlanId | null {
  try {
    const { planId: plan, chosenAtMs } = stored.parse(JSON.parse(text ?? ''))
    return nowMs - chosenAtMs < maxAgeMs ? plan : null
  } catch {
    return null
  }
}
