import { DAY_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import { deleteSupportMessagesBefore } from './store.ts'

/** Deletes answered and closed support messages that are older than LETTERS_DAYS. */
export async function deleteOldSupportMessages({ db, clock, config }: Context): Promise<void> {
  if (config.supportMessagesDays === null) return
  await deleteSupportMessagesBefore(db, new Date(clock.now().getTime() - config.supportMessagesDays * DAY_MS))
}
