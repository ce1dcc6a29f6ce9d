import { loadRecoverKey } from '@tocsin/proof/libsecp256k1'

/** Recovers the key of a signature. For `recoverSigner` and log checks. */
export const recoverKey = await loadRecoverKey()
