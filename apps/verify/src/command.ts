import { checkAlert } from './check-alert.ts'
import { checkLog } from './check-log.ts'
import { checkReceipt, isReceipt } from './check-receipt.ts'
import { help } from './help.ts'
import { parseObject, readInputFile } from './input.ts'
import { type AlertOptions, type LogOptions, parseOptions } from './options.ts'
import { CannotCheck, exitCodes, type Outcome, ProofProblem, UsageProblem } from './outcome.ts'
import { printOutcome, printOutcomeJson } from './print-outcome.ts'
import { createProgress, noProgress } from './progress.ts'

/** Environment of the command: input, output and terminal capabilities. */
export interface Environment {
  readInput(): Promise<string>
  out(text: string): void
  err(text: string): void
  hasColor: boolean
  /** True if standard error is a terminal. */
  isWatched: boolean
}

/** @returns the exit code */
export async function runCommand(args: string[], environment: Environment): Promise<number> {
  const json = args.includes('--json')
  let options: AlertOptions | LogOptions | 'help' | null = null
  let outcome: Outcome
  try {
    options = parseOptions(args)
    if (options === 'help') {
      environment.out(help)
      return 0
    }
    outcome = await executeOptions(options, environment)
  } catch (error) {
    outcome = createErrorOutcome(error)
  }
  if (json) environment.out(printOutcomeJson(outcome))
  else if (outcome.verdict === 'usage') {
    environment.err(`tocsin-verify: ${outcome.conclusion}\nSee tocsin-verify --help\n`)
  } else {
    const color = environment.hasColor && options !== null && options !== 'help' && options.color
    environment.out(printOutcome(outcome, color))
  }
  return exitCodes[outcome.verdict]
}

async function executeOptions(options: AlertOptions | LogOptions, environment: Environment): Promise<Outcome> {
  if (options.task === 'alert') {
    const text = options.file === '-' ? await environment.readInput() : await readInputFile(options.file)
    const value = parseObject(text)
    return isReceipt(value) ? checkReceipt(value, options) : checkAlert(value, options)
  }
  const progress = environment.isWatched && !options.json ? createProgress(environment.err) : noProgress
  try {
    return await checkLog(options, progress)
  } finally {
    progress.end()
  }
}

/** Returns the outcome for an error that ended the run before any step. */
function createErrorOutcome(error: unknown): Outcome {
  const reason = error instanceof Error ? error.message : String(error)
  const verdict = toVerdict(error)
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

function toVerdict(error: unknown): Outcome['verdict'] | null {
  if (error instanceof UsageProblem) return 'usage'
  if (error instanceof CannotCheck) return 'unavailable'
  return error instanceof ProofProblem ? 'failed' : null
}
