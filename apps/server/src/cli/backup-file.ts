import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { CommandFailure } from './command.ts'

/** Head of an encrypted file; salt, nonce, the gzip stream under AES-256-GCM, and the tag follow. */
const MAGIC = Buffer.from('TOCSIN-BACKUP-ENCRYPTED-1\n')
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = MAGIC.length + SALT_BYTES + NONCE_BYTES
/** 128 MiB and about half a second for each guess at the passphrase. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }

const deriveKey = (passphrase: string, salt: Buffer) => scryptSync(passphrase.normalize('NFC'), salt, 32, SCRYPT)

/**
 * Writes lines as a gzip file, encrypted if there is a passphrase. It is for its owner's eyes alone, and appears under its name only when it is whole and
 * on disk.
 */
export async function writeBackup(
  path: string,
  lines: AsyncIterable<string>,
  passphrase: string | null,
): Promise<void> {
  if (await stat(path).catch(() => null)) throw new CommandFailure(`${path} is there already. Nothing was written.`)
  const draft = `${path}.part`
  await rm(draft, { force: true })
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      const sealing = passphrase === null ? null : createSealing(passphrase)
      if (sealing) await file.writeFile(sealing.head)
      const text = Readable.from(withLineEnds(lines))
      const write = async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) await file.writeFile(chunk)
      }
      await (sealing ? pipeline(text, createGzip(), sealing.cipher, write) : pipeline(text, createGzip(), write))
      if (sealing) await file.writeFile(sealing.cipher.getAuthTag())
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

function createSealing(passphrase: string) {
  const salt = randomBytes(SALT_BYTES)
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', deriveKey(passphrase, salt), nonce)
  return { head: Buffer.concat([MAGIC, salt, nonce]), cipher }
}

async function* withLineEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`
}

/**
 * The lines of such a file. What a damaged file or a wrong passphrase yields is not known to be genuine before the last line: use nothing for good
 * until then.
 * @throws CommandFailure
 */
export async function* readBackup(path: string, passphrase: string | null): AsyncGenerator<string> {
  const { start, end, opening } = await openSeal(path, passphrase)
  const source = createReadStream(path, { start, end })
  const unzip = createGunzip()
  const reading = opening ? pipeline(source, opening, unzip) : pipeline(source, unzip)
  // Awaited below; until then its failure ends the lines.
  reading.catch((error) => unzip.destroy(error))
  try {
    yield* splitLines(unzip)
    await reading
  } catch {
    throw new CommandFailure(
      opening
        ? 'The passphrase is not the one of this backup, or the file is damaged.'
        : 'The file is no backup of Tocsin, or it is damaged.',
    )
  } finally {
    unzip.destroy()
  }
}

async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

async function openSeal(path: string, passphrase: string | null) {
  const file = await open(path, 'r').catch(() => {
    throw new CommandFailure(`${path} can't be read`)
  })
  try {
    const { size } = await file.stat()
    const head = Buffer.alloc(HEAD_BYTES)
    await file.read(head, 0, HEAD_BYTES, 0)
    const isSealed = head.subarray(0, MAGIC.length).equals(MAGIC)
    if (!isSealed) return { start: 0, end: Number.POSITIVE_INFINITY, opening: null }
    if (passphrase === null) throw new CommandFailure('The backup is encrypted: give --passphrase-file.')
    if (size < HEAD_BYTES + TAG_BYTES) throw new CommandFailure('The backup is cut off.')
    const tag = Buffer.alloc(TAG_BYTES)
    await file.read(tag, 0, TAG_BYTES, size - TAG_BYTES)
    const salt = head.subarray(MAGIC.length, MAGIC.length + SALT_BYTES)
    const opening = createDecipheriv('aes-256-gcm', deriveKey(passphrase, salt), head.subarray(-NONCE_BYTES))
    opening.setAuthTag(tag)
    return { start: HEAD_BYTES, end: size - TAG_BYTES - 1, opening }
  } finally {
    await file.close()
  }
}
