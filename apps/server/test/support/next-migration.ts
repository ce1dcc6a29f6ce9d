import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrationsFolder } from '../../src/db/database.ts'

/** Copies the real migrations to `folder` and appends one with these statements. */
export function writeNextMigration(folder: string, statements: string[]): void {
  cpSync(migrationsFolder, folder, { recursive: true })
  const path = join(folder, 'meta/_journal.json')
  const journal = JSON.parse(readFileSync(path, 'utf8'))
  const last = journal.entries.at(-1)
  journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + 1, tag: 'next' })
  writeFileSync(path, JSON.stringify(journal))
  writeFileSync(join(folder, 'next.sql'), statements.join('--> statement-breakpoint\n'))
}
