import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { link, open, rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { CommandFailure } from './command.ts'

/**
 * Encrypted file format: magic, salt, nonce, gzip stream encrypted with AES-256-GCM, authentication
 * tag.
 */
const MAGIC = Buffer.from('TOCSIN-BACKUP-ENCRYPTED-1\n')
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = MAGIC.length + SALT_BYTES + NONCE_BYTES
/** Parameters of scrypt. A guess of the passphrase costs 128 MiB and about 0.5 s. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }

const deriveKey = (passphrase: string, salt: Buffer) => scryptSync(passphrase.normalize('NFC'), salt, 32, SCRYPT)

/**
 * Writes lines as a gzip file, encrypted if there is a passphrase. Only the owner can read the
 * file. It appears at `path` only after it was written completely, synced to disk and checked.
 * @param check verifies the file before it gets its final name. If it rejects, the file remains as
 * `path.unverified`, where it replaces an earlier unverified file
 * @throws CommandFailure if a file exists at `path` before or after the check, or if another
 * process is writing this backup
 * @throws the error of `check`
 */
export async function writeBackup(
  path: string,
  lines: AsyncIterable<string>,
  passphrase: string | null,
  check: (file: string) => Promise<void> = async () => {},
): Promise<void> {
  if (await stat(path).catch(() => null)) throw new CommandFailure(`${path} already exists. Nothing was written.`)
  const temporaryPath = `${path}.part`
  const unverifiedPath = `${path}.unverified`
  await rm(temporaryPath, { force: true })
  const file = await open(temporaryPath, 'wx', 0o600)
  // Another run for the same path deletes the temporary file, replaces the unverified file, and
  // writes its own.
  const isOwn = async (name: string) => (await stat(name).catch(() => null))?.ino === (await file.stat()).ino
  const assertOwn = async (name: string) => {
    if (!(await isOwn(name)))
      throw new CommandFailure(`Another backup writes ${path}. Nothing was written by this one.`)
  }
  try {
    const encryption = passphrase === null ? null : createEncryption(passphrase)
    if (encryption) await file.writeFile(encryption.head)
    const text = Readable.from(addLineEnds(lines))
    const write = async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) await file.writeFile(chunk)
    }
    await (encryption ? pipeline(text, createGzip(), encryption.cipher, write) : pipeline(text, createGzip(), write))
    if (encryption) await file.writeFile(encryption.cipher.getAuthTag())
    await file.sync()
    await assertOwn(temporaryPath)
    await rename(temporaryPath, unverifiedPath)
    await check(unverifiedPath)
    await assertOwn(unverifiedPath)
    await renameToNew(unverifiedPath, path)
  } catch (error) {
    if (await isOwn(temporaryPath)) await rm(temporaryPath, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/**
 * Renames a file. Unlike `rename`, does not replace an existing file, unless the file system has no
 * hard links.
 */
async function renameToNew(path: string, newPath: string): Promise<void> {
  try {
    await link(path, newPath)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return rename(path, newPath)
    throw new CommandFailure(`${newPath} already exists. The backup is kept as ${path}.`)
  }
  await rm(path)
}

function createEncryption(passphrase: string) {
  const salt = randomBytes(SALT_BYTES)
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', deriveKey(passphrase, salt), nonce)
  return { head: Buffer.concat([MAGIC, salt, nonce]), cipher }
}

async function* addLineEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`
}

/**
 * Reads the lines of a backup file. The file is authenticated only after the last line: do not
 * commit anything before the iterator is done.
 * @throws CommandFailure if the file is damaged or the passphrase is wrong, possibly after some
 * lines
 */
export async function* readBackup(path: string, passphrase: string | null): AsyncGenerator<string> {
  const { start, end, decipher } = await openBackup(path, passphrase)
  const source = createReadStream(path, { start, end })
  const unzip = createGunzip()
  const decompression = decipher ? pipeline(source, decipher, unzip) : pipeline(source, unzip)
  // `decompression` is awaited only after the last line. If it fails earlier, the stream must end
  // with that error, because otherwise the iterator below would wait forever.
  decompression.catch((error) => unzip.destroy(error))
  try {
    yield* splitLines(unzip)
    await decompression
  } catch {
    throw new CommandFailure(
      decipher
        ? 'The passphrase is wrong, or the file is damaged.'
        : 'The file is not a Tocsin backup, or it is damaged.',
    )
  } finally {
    unzip.destroy()
  }
}

/**
 * Splits text into lines. Each chunk is searched only once, so the time is proportional to the
 * length of the text, however long its lines are.
 */
export async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let lineParts: string[] = []
  for await (const chunk of chunks) {
    const [first = '', ...more] = decoder.decode(chunk, { stream: true }).split('\n')
    lineParts.push(first)
    for (const nextLineStart of more) {
      yield lineParts.join('')
      lineParts = [nextLineStart]
    }
  }
  const lastLine = lineParts.join('')
  if (lastLine !== '') yield lastLine
}

async function openBackup(path: string, passphrase: string | null) {
  const file = await open(path, 'r').catch(() => {
    throw new CommandFailure(`Cannot read ${path}`)
  })
  try {
    const { size } = await file.stat()
    const head = Buffer.alloc(HEADER_BYTES)
    await file.read(head, 0, HEADER_BYTES, 0)
    const isEncrypted = head.subarray(0, MAGIC.length).equals(MAGIC)
    if (!isEncrypted) return { start: 0, end: Number.POSITIVE_INFINITY, decipher: null }
    if (passphrase === null) throw new CommandFailure('The backup is encrypted: use --passphrase-file.')
    if (size <= HEADER_BYTES + TAG_BYTES) throw new CommandFailure('The backup is truncated.')
    const tag = Buffer.alloc(TAG_BYTES)
    await file.read(tag, 0, TAG_BYTES, size - TAG_BYTES)
    const salt = head.subarray(MAGIC.length, MAGIC.length + SALT_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', deriveKey(passphrase, salt), head.subarray(-NONCE_BYTES))
    decipher.setAuthTag(tag)
    return { start: HEADER_BYTES, end: size - TAG_BYTES - 1, decipher }
  } finally {
    await file.close()
  }
}
