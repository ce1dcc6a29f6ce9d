import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkpointPublicKey, noteVerifierKey, signNote, verifyNote } from '@tocsin/proof'

/**
 * Name of the signed list of the files of a release. The list is a signed note (C2SP signed-note)
 * over lines of sha256sum.
 */
export const SUMS_FILE_NAME = 'SHA256SUMS.note'
const KEY_NAME = 'tocsin/release'
const SUM_LINE_PATTERN = /^([0-9a-f]{64}) {2}([\w.-]+)$/

/** @param seed seed of an Ed25519 key, 32 bytes */
export function getVerifierKey(seed: Uint8Array): string {
  return noteVerifierKey(KEY_NAME, checkpointPublicKey(seed))
}

function listSums(folder: string): string {
  const names = readdirSync(folder).filter((name) => name !== SUMS_FILE_NAME)
  return names
    .sort()
    .map((name) => `${hashFile(join(folder, name))}  ${name}\n`)
    .join('')
}

export function signSums(folder: string, seed: Uint8Array): string {
  return signNote(listSums(folder), { name: KEY_NAME, seed })
}

/**
 * @returns the names of the files that the key has signed and that are unchanged
 * @throws Error naming the first problem: the signature, or a file that differs or is missing
 */
export function checkRelease(folder: string, verifierKey: string): string[] {
  const { text } = verifyNote(readFileSync(join(folder, SUMS_FILE_NAME), 'utf8'), [verifierKey])
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, sum, name] = SUM_LINE_PATTERN.exec(line) ?? []
      if (!sum || !name) throw new Error(`Expected a checksum and a file name, but the line is: ${line}`)
      if (hashFile(join(folder, name)) !== sum) throw new Error(`${name} is not the file that was signed`)
      return name
    })
}

function hashFile(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}
