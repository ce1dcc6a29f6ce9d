import { drawnNames, type FaultName, faultKinds } from './kinds.ts'

export interface PlannedFault {
  name: FaultName
  /** Number from 0 to 1 that selects the target and other details of the fault. */
  choice: number
}

/** Time that the plan allows between the end of a fault and the next fault. */
const QUIET_MS = 12_000

/**
 * Plans the faults of a run. All kinds occur once, in random order, before one occurs again. The
 * same seed gives the same plan.
 * @param random a seeded generator
 */
export function planFaults(minutes: number, random: () => number, possible: readonly FaultName[]): PlannedFault[] {
  const plan: PlannedFault[] = []
  let leftMs = minutes * 60_000
  let pool: FaultName[] = []
  while (leftMs > 0) {
    // Draw from all kinds, because the order must not depend on which faults this machine permits.
    if (pool.length === 0) pool = [...drawnNames]
    const [name] = pool.splice(Math.floor(random() * pool.length), 1)
    const choice = random()
    if (name === undefined || !possible.includes(name)) continue
    plan.push({ name, choice })
    leftMs -= faultKinds[name].holdMs + QUIET_MS
  }
  return plan
}

/** Chooses a member of a list by a number from 0 to 1. */
export function pick<T>(list: readonly T[], choice: number): T {
  const chosen = list[Math.min(list.length - 1, Math.floor(choice * list.length))]
  if (chosen === undefined) throw new Error('There is nothing to choose from')
  return chosen
}
