import { pastedAlert, type RequestBody, verifyAlertRequest } from '@tocsin/protocol'
import { z } from 'zod'

/** An alert as someone holds it, with its proof. Keys beyond these say nothing about it. */
const heldAlert = pastedAlert.extend({
  merklePath: verifyAlertRequest.shape.merklePath,
  signature: verifyAlertRequest.shape.signature.optional(),
  avalancheTx: verifyAlertRequest.shape.avalancheTx.nullish(),
  anchoredAt: z.string().max(40).nullish(),
})
export type HeldAlert = z.infer<typeof heldAlert>

/** What the three fields of the form hold. */
export type Draft = { alertText: string; signature: string; transaction: string }
export const emptyDraft: Draft = { alertText: '', signature: '', transaction: '' }

/** A draft that can be verified. The transaction is empty only where the alert itself says that it is not anchored yet. */
export type Claim = { alert: HeldAlert; signature: string; transaction: string }

/** Turns a draft into a claim, or says of each field what it lacks. */
export const verificationForm = z
  .object({
    alertText: z.string(),
    signature: z.string().trim().max(4096, 'The signature is too long'),
    transaction: z.string().trim().max(200, 'The transaction is too long'),
  })
  .transform(({ alertText, signature, transaction }, context): Claim => {
    const refuse = (field: keyof Draft, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message, input: alertText })
    const read = readAlertText(alertText)
    if ('problem' in read) refuse('alertText', read.problem)
    if (signature === '') refuse('signature', 'The signature is missing')
    const isUnanchored = 'alert' in read && read.alert.avalancheTx === null
    if (transaction === '' && !isUnanchored) refuse('transaction', 'The transaction is missing')
    return 'alert' in read ? { alert: read.alert, signature, transaction } : z.NEVER
  })

/** The alert of a pasted text, or a sentence that names every field that is wrong. */
export function readAlertText(text: string): { alert: HeldAlert } | { problem: string } {
  if (text.trim() === '') return { problem: 'The alert JSON is missing' }
  const json = readJson(text)
  if ('problem' in json) return { problem: `The alert is not valid JSON: ${json.problem}` }
  const { value } = json
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'The alert JSON must be one alert: an object in braces' }
  }
  const parsed = heldAlert.safeParse(value)
  if (parsed.success) return { alert: parsed.data }
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

type VerifyRequest = RequestBody<'verifyAlert'>

/**
 * What to ask the server for a claim: first with the signature and transaction of the fields; then, where the alert's text
 * names others, with those. A copy is only good if all that it says is.
 */
export function requestsOf({ alert, signature, transaction }: Claim): [VerifyRequest, ...VerifyRequest[]] {
  const { merklePath, signature: ownSignature, avalancheTx, anchoredAt: _anchoredAt, ...content } = alert
  const base = { alertId: alert.id, merklePath, alert: content }
  const asked = { ...base, signature, avalancheTx: transaction }
  const own = {
    ...base,
    signature: ownSignature ?? signature,
    avalancheTx: avalancheTx === undefined ? transaction : (avalancheTx ?? ''),
  }
  const isSame = own.signature === asked.signature && own.avalancheTx === asked.avalancheTx
  return isSame ? [asked] : [asked, own]
}
