import { resolve } from 'node:path'
import { insertAlerts, insertDeliveries } from '../features/alerts/store.ts'
import { adoptLog } from '../features/tlog/adopt-log.ts'
import { readMirror } from '../features/tlog/log-mirror.ts'
import { type Command, CommandFailure, exitCodes } from './command.ts'
import { withContext } from './installation.ts'
import { checkWholeLog } from './log-check.ts'

export const logAdopt: Command = {
  name: 'log adopt',
  summary: "Completes the log from a verifier's mirror, for a backup that is older than the newest anchor.",
  usage: [
    '<mirror>',
    'The mirror is written by: npm run verify -- --from-url URL --mirror FILE. It is checked against the entries in the database and',
    'every anchor on the chain. Stop the server first. Ids of feed signals are not in a log: a signal that the feed sends again',
    'makes a second alert.',
  ],
  options: {},
  files: 1,
  async run({ files: [file = ''] }, around) {
    const mirror = await readMirror(resolve(around.folder, file)).catch((error: unknown) => {
      throw new CommandFailure(error instanceof Error ? error.message : String(error))
    })
    await withContext(around, async (ctx) => {
      const { from, size } = await adoptLog(ctx, mirror, async (tx, statements) => {
        if (statements.length === 0) return
        const rows = statements.map((statement) => ({
          statement,
          signalId: null,
          broadcastAt: new Date(statement.createdAt),
        }))
        await insertAlerts(tx, rows)
        const indexes = statements.map(({ index }) => index)
        await insertDeliveries(tx, indexes, ctx.clock.now())
      })
      around.out(`Adopted entries ${from} to ${size - 1}.`)
      await checkWholeLog(ctx, around)
    })
    return exitCodes.done
  },
}
