import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { outboxMail } from '@tocsin/protocol'
import type { z } from 'zod'
import type { Mail } from '../context.ts'

export type OutboxMail = z.infer<typeof outboxMail>

/**
 * Keeps a mail as `<time>-<id>.eml`, for mail programs, with a `.json` of the same name beside it, for `listOutbox`. Names sort by time. The
 * second file appears last and whole, so that what is listed is complete.
 * @param source the mail in RFC 5322 form.
 */
export async function writeToOutbox(
  outboxDir: string,
  id: string,
  mail: Mail,
  source: Buffer,
  at: Date,
): Promise<void> {
  await mkdir(outboxDir, { recursive: true })
  const name = `${at.toISOString().replaceAll(/[-:.]/g, '')}-${id}`
  const { to, subject, text } = mail
  const listed: OutboxMail = { id, at: at.toISOString(), to, subject, text, links: text.match(/https?:\/\/\S+/g) ?? [] }
  await writeWhole(join(outboxDir, `${name}.eml`), source)
  await writeWhole(join(outboxDir, `${name}.json`), JSON.stringify(listed))
}

const MAX_LISTED = 200

/** The newest mails, newest first; none if nothing was ever written. */
export async function listOutbox(outboxDir: string): Promise<OutboxMail[]> {
  const names = await readdir(outboxDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const newest = names
    .filter((name) => name.endsWith('.json'))
    .sort()
    .reverse()
    .slice(0, MAX_LISTED)
  return Promise.all(
    newest.map(async (name) => outboxMail.parse(JSON.parse(await readFile(join(outboxDir, name), 'utf8')))),
  )
}

/** Mails carry secret links: they are for the operator's eyes alone. */
async function writeWhole(path: string, content: string | Buffer): Promise<void> {
  await writeFile(`${path}.part`, content, { mode: 0o600 })
  await rename(`${path}.part`, path)
}
