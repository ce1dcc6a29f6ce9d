import { type PlanId, planIds } from '@tocsin/protocol'
import { z } from 'zod'
import { browserStorage } from './browser-storage.ts'

const storageKey = 'chosenPlan'
/** A sign-up with a confirmation mail fits into it; who signs in another day has to choose again. */
const keptMs = 2 * 60 * 60_000

const planId = z.enum(planIds)
const stored = z.object({ planId, chosenAtMs: z.number() })

/** The plan that an address names, for example "/dashboard?plan=24h". */
export function planInAddress(search: string): PlanId | null {
  return planId.safeParse(new URLSearchParams(search).get('plan')).data ?? null
}

/**
 * Keeps the plan that somebody chose before they signed in. The address alone would lose it with a confirmation mail, whose link
 * opens a page of its own.
 */
export function rememberChosenPlan(plan: PlanId, nowMs: number): void {
  browserStorage.setItem(storageKey, JSON.stringify({ planId: plan, chosenAtMs: nowMs }))
}

/** The plan that was chosen, once: it is forgotten by this. */
export function takeChosenPlan(search: string, nowMs: number): PlanId | null {
  const text = browserStorage.getItem(storageKey)
  browserStorage.removeItem(storageKey)
  return planInAddress(search) ?? readStored(text, nowMs)
}

function readStored(text: string | null, nowMs: number): PlanId | null {
  try {
    const { planId: plan, chosenAtMs } = stored.parse(JSON.parse(text ?? ''))
    return nowMs - chosenAtMs < keptMs ? plan : null
  } catch {
    return null
  }
}
