import { checkAlert } from './check-alert.ts'
import { checkLog } from './check-log.ts'
import { checkReceipt, isReceipt } from './check-receipt.ts'
import { help } from './help.ts'
import { parseObject, readInputFile } from './input.ts'
import { type AlertOptions, type LogOptions, parseOptions } from './options.ts'
import { CannotCheck, exitCodes, type Outcome, ProofProblem, UsageProblem } from './outcome.ts'
import { printOutcome, printOutcomeJson } from './print-outcome.ts'
import { createProgress, noProgress } from './progress.ts'

/** What the command is run in. */
export interface Surroundings {
  readInput(): Promise<string>
  out(text: string): void
  err(text: string): void
  hasColor: boolean
  /** Whether somebody watches standard error. */
  isWatched: boolean
}

/** @returns the exit code */
export async function runCommand(args: string[], around: Surroundings): Promise<number> {
  const json = args.includes('--json')
  let options: AlertOptions | LogOptions | 'help' | null = null
  let outcome: Outcome
  try {
    options = parseOptions(args)
    if (options === 'help') {
      around.out(help)
      return 0
    }
    outcome = await carryOut(options, around)
  } catch (error) {
    outcome = explain(error)
  }
  if (json) around.out(printOutcomeJson(outcome))
  else if (outcome.verdict === 'usage') {
    around.err(`tocsin-verify: ${outcome.conclusion}\nSee tocsin-verify --help\n`)
  } else {
    const color = around.hasColor && options !== null && options !== 'help' && options.color
    around.out(printOutcome(outcome, color))
  }
  return exitCodes[outcome.verdict]
}

async function carryOut(options: AlertOptions | LogOptions, around: Surroundings): Promise<Outcome> {
  if (options.task === 'alert') {
    const text = options.file === '-' ? await around.readInput() : await readInputFile(options.file)
    const value = parseObject(text)
    return isReceipt(value) ? checkReceipt(value, options) : checkAlert(value, options)
  }
  const progress = around.isWatched && !options.json ? createProgress(around.err) : noProgress
  try {
    return await checkLog(options, progress)
  } finally {
    progress.end()
  }
}

/** What ended the run before there was anything to tell step by step. */
function explain(error: unknown): Outcome {
  const reason = error instanceof Error ? error.message : String(error)
  const verdict = verdictOf(error)
  const conclusion = verdict === null ? `This program failed, which says nothing about the proof: ${reason}` : reason
  return {
    verdict: verdict ?? 'unavailable',
    subject: '',
    steps: [],
    failure: { step: null, index: null, reason: conclusion },
    trusted: [],
    conclusion: `${conclusion.replace(/\.$/, '')}.`,
    notes: [],
    facts: {},
  }
}

function verdictOf(error: unknown): Outcome['verdict'] | null {
  if (error instanceof UsageProblem) return 'usage'
  if (error instanceof CannotCheck) return 'unavailable'
  return error instanceof ProofProblem ? 'failed' : null
}
