import type { CreateEngine, Model } from './engine.ts'
import type { Judge } from './outcomes.ts'

/** What the process runs: the engine core, its name for the record, and the rule of verdicts. */
export interface Parts {
  createEngine: CreateEngine
  model: Model
  judge: Judge
}

/**
 * The place where `createEngine` of packages/engine and `judgePrediction` of packages/proof plug
 * in. Until then the process watches its markets and raises no alert.
 */
export const parts: Parts = {
  createEngine: () => ({ step: () => [], snapshot: () => '' }),
  model: { name: 'none', version: '0', settingsHash: `0x${'0'.repeat(64)}` },
  judge() {
    throw new Error('An engine without alerts has no predictions to judge')
  },
}
