import { createRequire } from 'node:module'
import type { Primitives } from '@tocsin/proof'
import { tryLoadPrimitives } from '@tocsin/proof/primitives'

type RecoverKey = Primitives['recoverKey']

/** The part of the optional package `secp256k1` that this program uses. */
interface NativeLibrary {
  ecdsaRecover(compact: Uint8Array, recoveryBit: number, digest: Uint8Array, isCompressed: boolean): Uint8Array
}

/**
 * Returns the fastest primitives that are available. Returns undefined if neither native code
 * nor WebAssembly is available: checks then use JavaScript.
 */
export async function findFastPrimitives(): Promise<Primitives | undefined> {
  const primitives = await tryLoadPrimitives()
  const recoverKey = primitives && isFromSources ? findNativeRecovery() : null
  return primitives && recoverKey ? { ...primitives, recoverKey } : primitives
}

/** False in the downloadable bundle, which must not load code from the folders around it. */
const isFromSources = import.meta.url.endsWith('.ts')

/**
 * Returns libsecp256k1 as native code, more than twice as fast as in WebAssembly. Null if the
 * package is not installed or has no build for this machine. Its fallback in JavaScript is never
 * loaded.
 */
export function findNativeRecovery(): RecoverKey | null {
  try {
    const { ecdsaRecover }: NativeLibrary = createRequire(import.meta.url)('secp256k1/bindings.js')
    return (digest, compact, recoveryBit) => ecdsaRecover(compact, recoveryBit, digest, false)
  } catch {
    return null
  }
}
