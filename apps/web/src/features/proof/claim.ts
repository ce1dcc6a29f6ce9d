import { bundleVersion, type ProofBundle, parseBundle } from '@tocsin/proof'
import { pastedAlert, type RequestBody, verifyAlertRequest } from '@tocsin/protocol'
import { z } from 'zod'
import { proofTexts } from '../../texts/proof.tsx'

const texts = proofTexts.claim

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

/** What a text holds: an alert, or a whole proof file with one in it. */
export type Held = { alert: HeldAlert; bundle: ProofBundle | null }

/** A draft that can be verified. The transaction is empty only where the alert itself says that it is not anchored yet. */
export type Claim = Held & { signature: string; transaction: string }

/** Turns a draft into a claim, or says of each field what it lacks. */
export const verificationForm = z
  .object({
    alertText: z.string(),
    signature: z.string().trim().max(4096, texts.signatureIsTooLong),
    transaction: z.string().trim().max(200, texts.transactionIsTooLong),
  })
  .transform(({ alertText, signature, transaction }, context): Claim => {
    const refuse = (field: keyof Draft, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message, input: alertText })
    const read = readAlertText(alertText)
    if ('problem' in read) refuse('alertText', read.problem)
    if (signature === '') refuse('signature', texts.signatureIsMissing)
    const isUnanchored = 'alert' in read && read.alert.avalancheTx === null
    if (transaction === '' && !isUnanchored) refuse('transaction', texts.transactionIsMissing)
    return 'alert' in read ? { ...read, signature, transaction } : z.NEVER
  })

/** The alert of a pasted text, of a proof file too, or a sentence that names every field that is wrong. */
export function readAlertText(text: string): Held | { problem: string } {
  if (text.trim() === '') return { problem: texts.alertJsonIsMissing }
  const json = readJson(text)
  if ('problem' in json) return { problem: texts.alertIsNotValidJson({ problem: json.problem }) }
  const { value } = json
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: texts.alertJsonMustBeOne }
  }
  return isBundle(value) ? readBundle(value) : readAlert(value)
}

/** Whether it says that it is a proof file. */
export function isBundle(value: object): value is { format: string; alert?: unknown } {
  return 'format' in value && value.format === 'tocsin-proof'
}

function readBundle(value: object): Held | { problem: string } {
  try {
    const bundle = parseBundle(value)
    const read = readAlert(bundle.alert)
    return 'problem' in read ? read : { alert: read.alert, bundle }
  } catch (error) {
    return { problem: texts.proofFileCantBeUsed({ why: error instanceof Error ? error.message : texts.itIsMalformed }) }
  }
}

function readAlert(value: object): Held | { problem: string } {
  const parsed = heldAlert.safeParse(value)
  if (parsed.success) return { alert: parsed.data, bundle: null }
  return {
    problem: texts.inTheAlertJson({
      issues: joinProblems(parsed.error.issues.map((issue) => nameProblem(issue, value))),
    }),
  }
}

function readJson(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : texts.itCantBeRead }
  }
}

const expectedWords: Record<string, string> = { string: texts.text, number: texts.number, array: texts.list }

function nameProblem(issue: z.core.$ZodIssue, value: object): string {
  const name = `“${issue.path.join('.')}”`
  if (issue.code === 'too_big') return texts.isTooLong({ name })
  if (!(String(issue.path[0]) in value)) return texts.isMissing({ name })
  const expected = issue.code === 'invalid_type' ? expectedWords[issue.expected] : undefined
  return expected === undefined ? texts.isMalformed({ name }) : texts.mustBe({ name, expected })
}

const namedProblems = 3

function joinProblems(problems: string[]): string {
  const rest = problems.length - namedProblems
  return problems.slice(0, namedProblems).join(', ') + (rest > 0 ? texts.andMore({ rest }) : '')
}

type Proofs = { signature: string; transaction: string }

/**
 * The ways that a claim can be read: first with the signature and transaction of the fields; then, where the alert's text names
 * others, with those. A copy is only good if all that it says is.
 */
function readingsOf({ alert, signature, transaction }: Claim): [Proofs, ...Proofs[]] {
  const { signature: ownSignature, avalancheTx } = alert
  const own = {
    signature: ownSignature ?? signature,
    transaction: avalancheTx === undefined ? transaction : (avalancheTx ?? ''),
  }
  const isSame = own.signature === signature && own.transaction === transaction
  return isSame ? [own] : [{ signature, transaction }, own]
}

type VerifyRequest = RequestBody<'verifyAlert'>

/** What to ask the server for a claim, one for each way to read it. */
export function requestsOf(claim: Claim): [VerifyRequest, ...VerifyRequest[]] {
  const { merklePath, signature: _s, avalancheTx: _t, anchoredAt: _a, ...content } = claim.alert
  const base = { alertId: claim.alert.id, merklePath, alert: content }
  const [first, ...others] = readingsOf(claim)
  const ask = ({ signature, transaction }: Proofs) => ({ ...base, signature, avalancheTx: transaction })
  return [ask(first), ...others.map(ask)]
}

/** What the browser itself checks for a claim, one for each way to read it. */
export function bundlesOf(claim: Claim, frame: Omit<ProofBundle, 'alert'>): [ProofBundle, ...ProofBundle[]] {
  const [first, ...others] = readingsOf(claim)
  const fill = ({ signature, transaction }: Proofs): ProofBundle => ({
    ...frame,
    version: bundleVersion(claim.alert),
    alert: { ...claim.alert, signature, avalancheTx: transaction === '' ? null : transaction },
  })
  return [fill(first), ...others.map(fill)]
}
