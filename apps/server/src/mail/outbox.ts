import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { outboxMail } from '@tocsin/protocol'
import type { z } from 'zod'
import type { Mail } from '../context.ts'

export type OutboxMail = z.infer<typeof outboxMail>

/**
 * Writes an email as `<time>-<id>.eml` for email clients, and as `.json` for `listOutbox`. The
 * names sort by time. The JSON file is written last and atomically, so that `listOutbox` returns
 * only complete emails.
 * @param source the email in RFC 5322 format
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
  const outboxEntry: OutboxMail = {
    id,
    at: at.toISOString(),
    to,
    subject,
    text,
    links: text.match(/https?:\/\/\S+/g) ?? [],
  }
  await writeAtomically(join(outboxDir, `${name}.eml`), source)
  await writeAtomically(join(outboxDir, `${name}.json`), JSON.stringify(outboxEntry))
}

const MAX_LISTED_MAILS = 200

/** Returns the newest emails, newest first. Returns an empty list if the folder does not exist. */
export async function listOutbox(outboxDir: string): Promise<OutboxMail[]> {
  const names = await readdir(outboxDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const newestNames = names
    .filter((name) => name.endsWith('.json'))
    .sort()
    .reverse()
    .slice(0, MAX_LISTED_MAILS)
  return Promise.all(
    newestNames.map(async (name) => outboxMail.parse(JSON.parse(await readFile(join(outboxDir, name), 'utf8')))),
  )
}

/** Writes a file that only the owner can read, because emails contain secret links. */
async function writeAtomically(path: string, content: string | Buffer): Promise<void> {
  await writeFile(`${path}.part`, content, { mode: 0o600 })
  await rename(`${path}.part`, path)
}
