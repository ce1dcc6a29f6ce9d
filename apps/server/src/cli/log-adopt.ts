import { resolve } from 'node:path'
import type { AlertStatement } from '@tocsin/proof'
import type { Context } from '../context.ts'
import { insertOutcomes } from '../features/alerts/outcome-store.ts'
import { insertAlerts, insertDeliveries } from '../features/alerts/store.ts'
import { saveCursor } from '../features/channels/store.ts'
import { adoptLog, type InsertAdoptedStatements } from '../features/tlog/adopt-log.ts'
import type { SearchOptions } from '../features/tlog/anchor-history.ts'
import { withMirror } from '../features/tlog/log-mirror.ts'
import { type CliEnvironment, type Command, exitCodes } from './command.ts'
import { withContext } from './installation.ts'
import { checkWholeLog } from './log-check.ts'

export const logAdopt: Command = {
  name: 'log adopt',
  summary: "Completes the log from a verifier's mirror, after restoring a backup that is older than the newest anchor.",
  usage: [
    '<mirror>',
    'A verifier writes a mirror with: npm run verify -- --from-url URL --mirror FILE --api-key-file FILE. The key adds',
    'the content that was not public yet. The mirror is checked against the entries in the database and every anchor',
    'on the chain. Stop the server first.',
    'A signal that the feed resends, byte for byte, does not create a second alert.',
  ],
  options: {},
  files: 1,
  async run({ files: [file = ''] }, cli) {
    await withMirror(resolve(cli.folder, file), (mirror) =>
      withContext(cli, async (ctx) => {
        const { from, size } = await adoptLog(ctx, mirror, createAdoptedInserter(ctx), {
          onProgress: createProgress(cli),
        })
        cli.out(
          size > from
            ? `Adopted entries ${from} to ${size - 1}.`
            : `Nothing to adopt: the mirror has ${size} entries, the database ${from}.`,
        )
        await checkWholeLog(ctx, cli, { isChainRequired: false })
      }),
    )
    return exitCodes.done
  },
}

/** Prints a line for each tenth of the blocks. */
function createProgress(cli: CliEnvironment): SearchOptions['onProgress'] {
  let shownTenths = 0
  return (done, block) => {
    const tenths = Math.floor(done * 10)
    if (tenths <= shownTenths) return
    shownTenths = tenths
    cli.err(`Read the anchors up to block ${block} (${tenths * 10}%)`)
  }
}

/**
 * Inserts adopted entries. The log does not contain signal ids, so the hash of the signal's message
 * is stored as the signal id: see `alerts.signalId`.
 */
function createAdoptedInserter(ctx: Context): InsertAdoptedStatements {
  const signalHashes = new Set<string>()
  const findSignalId = ({ origin, signalHash }: AlertStatement) => {
    // Two alerts in the log can come from the same message, if the feed sent it again after an
    // earlier adoption. Only the first of them gets the signal id, because signal ids are unique.
    if (origin === 'admin' || signalHash === null || signalHashes.has(signalHash)) return null
    signalHashes.add(signalHash)
    return signalHash
  }
  return async (tx, statements) => {
    if (statements.length === 0) return
    const alerts = statements.filter((statement) => statement.kind !== 'outcome')
    const outcomes = statements.filter((statement) => statement.kind === 'outcome')
    const rows = alerts.map((statement) => ({
      statement,
      signalId: findSignalId(statement),
      broadcastAt: new Date(statement.createdAt),
    }))
    if (rows.length > 0) await insertAlerts(tx, rows)
    // The log does not contain messages. They are stored when the feed sends them again.
    await insertOutcomes(
      tx,
      outcomes.map((statement) => ({ statement, message: null })),
    )
    const indexes = statements.map(({ index }) => index)
    // Move the cursor of the channels past these deliveries, so that they are not sent again: the
    // destinations got them before the database was lost.
    await saveCursor(tx, await insertDeliveries(tx, indexes, ctx.clock.now()))
  }
}
