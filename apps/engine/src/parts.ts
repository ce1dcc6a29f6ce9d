import { createEngine, defaultSettings, type Engine } from '@tocsin/engine'
import { hashSignal, judgePrediction, type Model, missingMinutes, parseCandleLists } from '@tocsin/proof'
import type { Judge } from './outcomes.ts'

/** @param snapshot text of `Engine.snapshot` to continue from */
export type CreateEngine = (snapshot?: string) => Engine

/** What the process runs: the engine core, its name for the record, and the rule of verdicts. */
export interface Parts {
  createEngine: CreateEngine
  model: Model
  /** The file whose hash the model names. */
  modelSettings: string
  judge: Judge
}

/** Changes with every change of `packages/engine` that may change an alert. */
const MODEL = { name: 'tocsin-engine', version: '1.1.0' }

/** @param shortHorizonSeconds of a second prediction beside that of an hour; null for none */
export function createParts(shortHorizonSeconds: number | null): Parts {
  const settings = { ...defaultSettings, shortHorizonSeconds }
  const modelSettings = `${JSON.stringify(settings, null, 2)}\n`
  return {
    createEngine: (snapshot) => createEngine(settings, snapshot),
    model: { ...MODEL, settingsHash: hashSignal(modelSettings) },
    modelSettings,
    judge,
  }
}

const judge: Judge = (prediction, candles, other) => {
  const lists = parseCandleLists(prediction, candles, other)
  return { ...judgePrediction(prediction, lists), missing: missingMinutes(prediction, lists) }
}
