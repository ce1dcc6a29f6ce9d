import {
  type Address,
  addressOfKey,
  bytesToHex,
  checkpointPublicKey,
  deriveCheckpointSeed,
  type Hex,
  hexToBytes,
  signNote,
} from '@tocsin/proof'
import { signRecoverable } from 'tiny-secp256k1'
import type { Config } from './config.ts'
import type { Signer, Signers } from './context.ts'

/** Creates a signer. The private key is not accessible outside of this closure. */
export function createSigner(privateKey: Hex): Signer {
  const key = hexToBytes(privateKey)
  const seed = deriveCheckpointSeed(key)
  return {
    address: addressOfKey(key),
    checkpointKey: checkpointPublicKey(seed),
    signDigest: (digest) => signDigest(digest, key),
    signCheckpoint: cacheLastNote((text, origin) => signNote(text, { name: origin, seed })),
  }
}

/** Caches the newest signed checkpoint, because clients poll and the log grows slowly. */
function cacheLastNote(sign: Signer['signCheckpoint']): Signer['signCheckpoint'] {
  let lastNote = { text: '', origin: '', note: '' }
  return (text, origin) => {
    if (lastNote.text !== text || lastNote.origin !== origin) lastNote = { text, origin, note: sign(text, origin) }
    return lastNote.note
  }
}

/**
 * Creates the set of keys that this server has, the default key first.
 * @param moreKeys called if the log names an unknown key
 */
export function createSigners(
  { signerKey, signerKeyNext }: Pick<Config, 'signerKey' | 'signerKeyNext'>,
  moreKeys: () => readonly Hex[] = () => [],
): Signers {
  const heldSigners = [signerKey, ...(signerKeyNext ? [signerKeyNext] : [])].map(createSigner)
  const find = (address: Address) => heldSigners.find((signer) => signer.address === address) ?? null
  return {
    held: heldSigners,
    find(address) {
      if (find(address)) return find(address)
      for (const signer of moreKeys().map(createSigner)) if (!find(signer.address)) heldSigners.push(signer)
      return find(address)
    },
  }
}

/**
 * Produces the same signatures as packages/proof in less than half the time, with libsecp256k1 in
 * WebAssembly.
 */
function signDigest(digest: Uint8Array, key: Uint8Array): Hex {
  const { signature, recoveryId } = signRecoverable(digest, key)
  return `${bytesToHex(signature)}${recoveryId === 0 ? '1b' : '1c'}`
}
