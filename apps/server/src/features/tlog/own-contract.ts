import { decodeStatement, hashStatement, type ProofDomain, recoverSigner } from '@tocsin/proof'
import type { Context } from '../../context.ts'
import { primitives } from '../../primitives.ts'
import { type Entry, LogFault } from './log.ts'
import { getProofDomain } from './proof-domain.ts'
import * as store from './store.ts'

/** Returns true if the entry was signed for this chain and contract. */
export function isSignedFor(domain: ProofDomain, { bytes, signature }: Entry): boolean {
  const statement = decodeStatement(bytes)
  return recoverSigner(hashStatement(domain, statement), signature, primitives) === statement.signer
}

/**
 * Checks that the log was signed for the configured contract.
 * @throws LogFault if it was signed for another contract: new entries would not verify together
 *   with the existing ones
 */
export async function assertOwnContract(ctx: Context): Promise<void> {
  const { last } = await store.findTail(ctx.db)
  const [entry] = last ? await store.listEntries(ctx.db, last.index, 1) : []
  if (entry && !isSignedFor(getProofDomain(ctx), entry))
    throw new LogFault(describeForeignContract(getProofDomain(ctx)))
}

export function describeForeignContract({ chainId, verifyingContract }: ProofDomain): string {
  return (
    `The entries of the alert log in this database are signed for another anchor contract than ANCHOR_CONTRACT ` +
    `(${verifyingContract} on chain ${chainId}). Nothing was changed. Set the contract that belongs to the log, or begin a ` +
    'successor log on this one with "tocsin log succeed".'
  )
}
