import { CannotCheck, type Step } from './outcome.ts'

const titles = {
  chain: 'Chain',
  entries: 'Entries',
  roots: 'Anchored roots',
  checkpoint: 'Checkpoint',
  kept: 'Kept checkpoint',
  record: 'Track record',
} as const
export type LogStepId = keyof typeof titles

/** Thrown to end the check at a step. */
export class CheckStopped extends Error {
  readonly step: LogStepId
  readonly status: Step['status']
  /** Index of the invalid entry, if the problem is in an entry. */
  readonly index: number | null

  constructor(step: LogStepId, status: Step['status'], reason: string, index: number | null = null) {
    super(reason)
    this.step = step
    this.status = status
    this.index = index
  }
}

export function createStepFailure(step: LogStepId, reason: string, index: number | null = null): CheckStopped {
  return new CheckStopped(step, 'failed', reason, index)
}

/** Runs a part of a step. CannotCheck ends the step as unavailable. */
export async function runPartOfStep<T>(step: LogStepId, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw error instanceof CannotCheck ? new CheckStopped(step, 'unavailable', error.message) : error
  }
}

/**
 * Lists all steps in order. Steps without a result were not reached.
 * @param includesRecord true if the track record is to be recomputed
 */
export function listSteps(
  results: ReadonlyMap<LogStepId, Pick<Step, 'status' | 'reason'>>,
  includesRecord: boolean,
): Step[] {
  const ids: LogStepId[] = [
    'chain',
    'entries',
    'roots',
    'checkpoint',
    'kept',
    ...(includesRecord ? ['record' as const] : []),
  ]
  return ids.map((id) => {
    const { status, reason } = results.get(id) ?? { status: 'skipped', reason: 'Not reached' }
    return { id, title: titles[id], status, reason }
  })
}
