import { loadPrimitives } from '@tocsin/proof/primitives'

/** Cryptographic primitives for `recoverSigner`, `hashStatement` and log checks. */
export const primitives = await loadPrimitives()
