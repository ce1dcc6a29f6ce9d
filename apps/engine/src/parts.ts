import { createEngine, defaultSettings, type Engine } from '@tocsin/engine'
import { evaluatePrediction, hashSignal, listMissingMinutes, type Model, parseCandleLists } from '@tocsin/proof'
import type { EvaluatePrediction } from './outcomes.ts'

/** @param snapshot text of `Engine.snapshot` to continue from */
export type CreateEngine = (snapshot?: string) => Engine

/**
 * The parts that the process runs: the engine core, the model that signals name, and the function
 * that evaluates predictions.
 */
export interface EngineParts {
  createEngine: CreateEngine
  model: Model
  /** Content of the settings file. Its hash is `model.settingsHash`. */
  modelSettings: string
  evaluate: EvaluatePrediction
}

/**
 * Name and version of the model. The version changes with every change of `packages/engine` that
 * may change an alert.
 */
const MODEL = { name: 'tocsin-engine', version: '1.1.4' }

/**
 * @param shortHorizonSeconds horizon of a second prediction beside the one-hour prediction; null
 * for no second one
 */
export function createParts(shortHorizonSeconds: number | null): EngineParts {
  const settings = { ...defaultSettings, shortHorizonSeconds }
  const modelSettings = `${JSON.stringify(settings, null, 2)}\n`
  return {
    createEngine: (snapshot) => createEngine(settings, snapshot),
    model: { ...MODEL, settingsHash: hashSignal(modelSettings) },
    modelSettings,
    evaluate,
  }
}

const evaluate: EvaluatePrediction = (prediction, candles, other) => {
  const lists = parseCandleLists(prediction, candles, other)
  return { ...evaluatePrediction(prediction, lists), missing: listMissingMinutes(prediction, lists) }
}
