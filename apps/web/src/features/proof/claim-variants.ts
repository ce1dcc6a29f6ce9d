import { getBundleVersion, type ProofBundle } from '@tocsin/proof'
import type { RequestBody } from '@tocsin/protocol'
import type { Claim } from './claim.ts'

type ProofVariant = { signature: string; transaction: string }

/**
 * Variants of a claim to verify: one with the signature and the transaction of the form's fields,
 * and, if the alert's text contains different values, one with those values. A copy is valid only
 * if all variants are valid.
 */
function createVariants({ alert, signature, transaction }: Claim): [ProofVariant, ...ProofVariant[]] {
  const { signature: ownSignature, avalancheTx } = alert
  const embeddedProofs = {
    signature: ownSignature ?? signature,
    transaction: avalancheTx === undefined ? transaction : (avalancheTx ?? ''),
  }
  const isSameProofs = embeddedProofs.signature === signature && embeddedProofs.transaction === transaction
  return isSameProofs ? [embeddedProofs] : [{ signature, transaction }, embeddedProofs]
}

type VerifyRequest = RequestBody<'verifyAlert'>

/** Requests to the server that verify a claim, one per variant. */
export function createRequests(claim: Claim): [VerifyRequest, ...VerifyRequest[]] {
  const { merklePath, signature: _s, avalancheTx: _t, anchoredAt: _a, ...content } = claim.alert
  const requestBase = { alertId: claim.alert.id, merklePath, alert: content }
  const [firstVariant, ...otherVariants] = createVariants(claim)
  const toRequest = ({ signature, transaction }: ProofVariant) => ({
    ...requestBase,
    signature,
    avalancheTx: transaction,
  })
  return [toRequest(firstVariant), ...otherVariants.map(toRequest)]
}

/** Proof bundles that the browser verifies for a claim, one per variant. */
export function createBundles(claim: Claim, context: Omit<ProofBundle, 'alert'>): [ProofBundle, ...ProofBundle[]] {
  const [firstVariant, ...otherVariants] = createVariants(claim)
  const createBundle = ({ signature, transaction }: ProofVariant): ProofBundle => ({
    ...context,
    version: getBundleVersion(claim.alert),
    alert: { ...claim.alert, signature, avalancheTx: transaction === '' ? null : transaction },
  })
  return [createBundle(firstVariant), ...otherVariants.map(createBundle)]
}
