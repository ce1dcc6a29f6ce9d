import { type ProofBundle, parseBundle } from '@tocsin/proof'
import { pastedAlert, verifyAlertRequest } from '@tocsin/protocol'
import { z } from 'zod'

/** A user's copy of an alert with its proof. Unknown keys are ignored. */
const alertCopy = pastedAlert.extend({
  merklePath: verifyAlertRequest.shape.merklePath,
  signature: verifyAlertRequest.shape.signature.optional(),
  avalancheTx: verifyAlertRequest.shape.avalancheTx.nullish(),
  anchoredAt: z.string().max(40).nullish(),
})
export type AlertCopy = z.infer<typeof alertCopy>

/** Values of the form's three fields. */
export type Draft = { alertText: string; signature: string; transaction: string }
export const emptyDraft: Draft = { alertText: '', signature: '', transaction: '' }

/** A parsed text: an alert, or a proof file (`bundle`) with its alert. */
export type ParsedText = { alert: AlertCopy; bundle: ProofBundle | null }

/**
 * A validated draft. The transaction is empty only if the alert itself says that it is not anchored
 * yet.
 */
export type Claim = ParsedText & { signature: string; transaction: string }

/** Validates a draft and turns it into a claim. */
export const verificationForm = z
  .object({
    alertText: z.string(),
    signature: z.string().trim().max(4096, 'The signature is too long'),
    transaction: z.string().trim().max(200, 'The transaction is too long'),
  })
  .transform(({ alertText, signature, transaction }, context): Claim => {
    const reject = (field: keyof Draft, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message, input: alertText })
    const read = readAlertText(alertText)
    if ('problem' in read) reject('alertText', read.problem)
    if (signature === '') reject('signature', 'The signature is missing')
    const isUnanchored = 'alert' in read && read.alert.avalancheTx === null
    if (transaction === '' && !isUnanchored) reject('transaction', 'The transaction is missing')
    return 'alert' in read ? { ...read, signature, transaction } : z.NEVER
  })

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

/** True if the value is marked as a proof file; does not validate it. */
export function isBundle(value: object): value is { format: string; alert?: unknown } {
  return 'format' in value && value.format === 'tocsin-proof'
}

function readBundle(value: object): ParsedText | { problem: string } {
  try {
    const bundle = parseBundle(value)
    const read = readAlert(bundle.alert)
    return 'problem' in read ? read : { alert: read.alert, bundle }
  } catch (error) {
    return { problem: `The proof file can’t be used. ${error instanceof Error ? error.message : 'It is malformed'}` }
  }
}

function readAlert(value: object): ParsedText | { problem: string } {
  const parsed = alertCopy.safeParse(value)
  if (parsed.success) return { alert: parsed.data, bundle: null }
  return {
    problem: `In the alert JSON, ${joinProblems(parsed.error.issues.map((issue) => nameProblem(issue, value)))}`,
  }
}

function readJson(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'it can’t be read' }
  }
}

const expectedWords: Record<string, string> = { string: 'text', number: 'a number', array: 'a list' }

function nameProblem(issue: z.core.$ZodIssue, value: object): string {
  const name = `“${issue.path.join('.')}”`
  if (issue.code === 'too_big') return `${name} is too long`
  if (!(String(issue.path[0]) in value)) return `${name} is missing`
  const expected = issue.code === 'invalid_type' ? expectedWords[issue.expected] : undefined
  return expected === undefined ? `${name} is malformed` : `${name} must be ${expected}`
}

const namedProblems = 3

function joinProblems(problems: string[]): string {
  const rest = problems.length - namedProblems
  return problems.slice(0, namedProblems).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
