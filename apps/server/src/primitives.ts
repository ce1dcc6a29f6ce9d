import { loadPrimitives } from '@tocsin/proof/primitives'

/** For `recoverSigner`, `hashStatement` and log checks. */
export const primitives = await loadPrimitives()
