import { type ProofBundle, parseBundle } from '@tocsin/proof'
import { pastedAlert, verifyAlertRequest } from '@tocsin/protocol'
import { z } from 'zod'
import { type Draft, isBundle } from './draft.ts'

/** A user's copy of an alert with its proof. Unknown keys are ignored. */
const alertCopySchema = pastedAlert.extend({
  merklePath: verifyAlertRequest.shape.merklePath,
  signature: verifyAlertRequest.shape.signature.optional(),
  avalancheTx: verifyAlertRequest.shape.avalancheTx.nullish(),
  anchoredAt: z.string().max(40).nullish(),
})
export type AlertCopy = z.infer<typeof alertCopySchema>

/** A parsed text: an alert, or a proof file (`bundle`) with its alert. */
export type ParsedText = { alert: AlertCopy; bundle: ProofBundle | null }

/**
 * A validated draft. The transaction is empty only if the alert itself says that it is not anchored
 * yet.
 */
export type Claim = ParsedText & { signature: string; transaction: string }

/** Error message of each invalid field of a draft. */
export type DraftProblems = Partial<Draft>

/** Validates a draft and turns it into a claim. */
export function readClaim(draft: Draft): Claim | { problems: DraftProblems } {
  const signature = draft.signature.trim()
  const transaction = draft.transaction.trim()
  const problems: DraftProblems = {}
  const parsedAlert = readAlertText(draft.alertText)
  if ('problem' in parsedAlert) problems.alertText = parsedAlert.problem
  if (signature === '') problems.signature = 'The signature is missing'
  if (signature.length > 4096) problems.signature = 'The signature is too long'
  const isUnanchored = 'alert' in parsedAlert && parsedAlert.alert.avalancheTx === null
  if (transaction === '' && !isUnanchored) problems.transaction = 'The transaction is missing'
  if (transaction.length > 200) problems.transaction = 'The transaction is too long'
  if ('problem' in parsedAlert || Object.keys(problems).length > 0) return { problems }
  return { ...parsedAlert, signature, transaction }
}

/** Parses an alert or a proof file. `problem` is a sentence that names the invalid fields. */
export function readAlertText(text: string): ParsedText | { problem: string } {
  if (text.trim() === '') return { problem: 'The alert JSON is missing' }
  const json = readJson(text)
  if ('problem' in json) return { problem: `The alert is not valid JSON: ${json.problem}` }
  const { value } = json
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'The alert JSON must be one alert: an object in braces' }
  }
  return isBundle(value) ? readBundle(value) : readAlert(value)
}

function readBundle(value: object): ParsedText | { problem: string } {
  try {
    const bundle = parseBundle(value)
    const alertResult = readAlert(bundle.alert)
    return 'problem' in alertResult ? alertResult : { alert: alertResult.alert, bundle }
  } catch (error) {
    return { problem: `The proof file can’t be used. ${error instanceof Error ? error.message : 'It is malformed'}` }
  }
}

function readAlert(value: object): ParsedText | { problem: string } {
  const parsed = alertCopySchema.safeParse(value)
  if (parsed.success) return { alert: parsed.data, bundle: null }
  return {
    problem: `In the alert JSON, ${joinProblems(parsed.error.issues.map((issue) => formatProblem(issue, value)))}`,
  }
}

function readJson(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'it can’t be read' }
  }
}

const typeNames: Record<string, string> = { string: 'text', number: 'a number', array: 'a list' }

function formatProblem(issue: z.core.$ZodIssue, value: object): string {
  const name = `“${issue.path.join('.')}”`
  if (issue.code === 'too_big') return `${name} is too long`
  if (!(String(issue.path[0]) in value)) return `${name} is missing`
  const expected = issue.code === 'invalid_type' ? typeNames[issue.expected] : undefined
  return expected === undefined ? `${name} is malformed` : `${name} must be ${expected}`
}

const namedProblemLimit = 3

function joinProblems(problems: string[]): string {
  const restCount = problems.length - namedProblemLimit
  return problems.slice(0, namedProblemLimit).join(', ') + (restCount > 0 ? ` and ${restCount} more` : '')
}
