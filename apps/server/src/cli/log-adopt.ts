import { resolve } from 'node:path'
import type { AlertStatement } from '@tocsin/proof'
import type { Context } from '../context.ts'
import { insertAlerts, insertDeliveries } from '../features/alerts/store.ts'
import { adoptLog, type InsertAdopted } from '../features/tlog/adopt-log.ts'
import { withMirror } from '../features/tlog/log-mirror.ts'
import { type Command, exitCodes } from './command.ts'
import { withContext } from './installation.ts'
import { checkWholeLog } from './log-check.ts'

export const logAdopt: Command = {
  name: 'log adopt',
  summary: "Completes the log from a verifier's mirror, for a backup that is older than the newest anchor.",
  usage: [
    '<mirror>',
    'The mirror is written by: npm run verify -- --from-url URL --mirror FILE. It is checked against the entries in the database and',
    'every anchor on the chain. Stop the server first. A signal that the feed sends again, byte for byte, makes no second alert.',
  ],
  options: {},
  files: 1,
  async run({ files: [file = ''] }, around) {
    await withMirror(resolve(around.folder, file), (mirror) =>
      withContext(around, async (ctx) => {
        const { from, size } = await adoptLog(ctx, mirror, createInsert(ctx))
        around.out(`Adopted entries ${from} to ${size - 1}.`)
        await checkWholeLog(ctx, around)
      }),
    )
    return exitCodes.done
  },
}

/** Ids of signals are not in a log, so the hash of the signal's message stands for its id: see `alerts.signalId`. */
function createInsert(ctx: Context): InsertAdopted {
  const signalHashes = new Set<string>()
  const findSignalId = ({ origin, signalHash }: AlertStatement) => {
    // An earlier adoption may have let the same message make a second alert.
    if (origin !== 'feed' || signalHash === null || signalHashes.has(signalHash)) return null
    signalHashes.add(signalHash)
    return signalHash
  }
  return async (tx, statements) => {
    if (statements.length === 0) return
    const rows = statements.map((statement) => ({
      statement,
      signalId: findSignalId(statement),
      broadcastAt: new Date(statement.createdAt),
    }))
    await insertAlerts(tx, rows)
    const indexes = statements.map(({ index }) => index)
    await insertDeliveries(tx, indexes, ctx.clock.now())
  }
}
