import { type FaultName, faultKinds, randomFaultNames } from './kinds.ts'

export interface PlannedFault {
  name: FaultName
  /** Number from 0 to 1 that selects the target of the fault. */
  choice: number
}

/** Time that the plan allows between the end of a fault and the next fault. */
const PLANNED_PAUSE_MS = 12_000

/**
 * Plans the faults of a run. All kinds occur once, in random order, before one occurs again. The
 * same seed gives the same plan.
 * @param random a seeded generator
 */
export function planFaults(
  minutes: number,
  random: () => number,
  possibleFaults: readonly FaultName[],
): PlannedFault[] {
  const plan: PlannedFault[] = []
  let remainingMs = minutes * 60_000
  let undrawnNames: FaultName[] = []
  while (remainingMs > 0) {
    // Draw from all kinds, because the order must not depend on which faults this machine permits.
    if (undrawnNames.length === 0) undrawnNames = [...randomFaultNames]
    const [name] = undrawnNames.splice(Math.floor(random() * undrawnNames.length), 1)
    const choice = random()
    if (name === undefined || !possibleFaults.includes(name)) continue
    plan.push({ name, choice })
    remainingMs -= faultKinds[name].holdMs + PLANNED_PAUSE_MS
  }
  return plan
}

/** Chooses a member of a list by a number from 0 to 1. */
export function pickByChoice<T>(list: readonly T[], choice: number): T {
  const member = list[Math.min(list.length - 1, Math.floor(choice * list.length))]
  if (member === undefined) throw new Error('There is nothing to choose from')
  return member
}
