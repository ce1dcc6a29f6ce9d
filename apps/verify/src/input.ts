import { createReadStream } from 'node:fs'
import { open, rm, stat, writeFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { ProofProblem, UsageProblem } from './outcome.ts'
import { quote } from './printable.ts'

const MAX_BYTES = 16 * 2 ** 20

/** @throws UsageProblem above 16 MiB, ProofProblem if it is not UTF-8 */
export async function readStream(stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    const buffer = Buffer.from(chunk)
    bytes += buffer.length
    if (bytes > MAX_BYTES) throw new UsageProblem(`The input is larger than ${MAX_BYTES / 2 ** 20} MiB`)
    chunks.push(buffer)
  }
  try {
    // Keep a byte order mark, so that the text is rejected as invalid JSON.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new ProofProblem('The file is not UTF-8 text')
  }
}

/** @throws UsageProblem if the file cannot be read, ProofProblem if it is not UTF-8 */
export async function readInputFile(path: string): Promise<string> {
  try {
    return await readStream(createReadStream(path))
  } catch (error) {
    if (error instanceof UsageProblem || error instanceof ProofProblem) throw error
    throw new UsageProblem(`The file ${quote(path)} cannot be read${formatErrorCode(error)}`)
  }
}

/**
 * Parses the input.
 * @throws ProofProblem if it is not a JSON object
 */
export function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    throw new ProofProblem('The file is not JSON')
  }
  throw new ProofProblem('The file is neither a proof bundle nor an alert nor a receipt')
}

/**
 * Checks before a long run that the file can be written. Leaves no empty file, because a later run
 * would read it as a checkpoint.
 * @throws UsageProblem if it cannot be written
 */
export async function assertWritable(path: string): Promise<void> {
  try {
    const isNew = (await stat(path).catch(() => null)) === null
    await (await open(path, 'a')).close()
    if (isNew) await rm(path)
  } catch (error) {
    throw new UsageProblem(`The file ${quote(path)} cannot be written${formatErrorCode(error)}`)
  }
}

/** @throws UsageProblem if the file cannot be written */
export async function writeOutputFile(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text)
  } catch (error) {
    throw new UsageProblem(`The file ${quote(path)} cannot be written${formatErrorCode(error)}`)
  }
}

function formatErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
}
