import { DAY_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import { deleteLettersBefore } from './store.ts'

/** Deletes answered and closed support messages that are older than LETTERS_DAYS. */
export async function deleteOldLetters({ db, clock, config }: Context): Promise<void> {
  if (config.lettersDays === null) return
  await deleteLettersBefore(db, new Date(clock.now().getTime() - config.lettersDays * DAY_MS))
}
