import { bytesToHex, type UnprovenTimes } from '@tocsin/proof'
import type { Context } from '../context.ts'
import { AnchorNodeUnreachable, assertLogMatchesChain, checkLog } from '../features/tlog/check-log.ts'
import { LogFault } from '../features/tlog/log.ts'
import { type CliEnvironment, type Command, CommandFailure, exitCodes } from './command.ts'
import { withContext } from './installation.ts'

export const logCheck: Command = {
  name: 'log check',
  summary:
    'Recomputes the whole log, and compares it with every anchor in the database and the newest one on the chain.',
  usage: [''],
  options: {},
  files: 0,
  async run(_input, cli) {
    await withContext(cli, (ctx) => checkWholeLog(ctx, cli))
    return exitCodes.done
  },
}

/**
 * Checks the log, and prints its size, root hash and unproven times.
 * @param isChainRequired false for commands that have already changed the database: if the anchor
 * node is unreachable, the function then prints that the log was not compared with the chain,
 * instead of throwing
 * @throws CommandFailure that names the first damaged entry
 * @throws AnchorNodeUnreachable if the log could not be compared with the chain
 */
export async function checkWholeLog(ctx: Context, cli: CliEnvironment, { isChainRequired = true } = {}): Promise<void> {
  try {
    const { size, root, unprovenTimes, unprovenOutcomes, unprovenOthers } = await checkLog(ctx)
    const unreachable = await assertLogMatchesChain(ctx).catch((error: unknown) => {
      if (isChainRequired || !(error instanceof AnchorNodeUnreachable)) throw error
      return error
    })
    const anchors = unreachable ? 'the anchors in the database' : 'its anchors'
    cli.out(`The log is complete and matches ${anchors}: ${size} entries, root ${bytesToHex(root)}`)
    if (unreachable) {
      cli.err(`${unreachable.message} Run "${cli.program} log check" before you start the server.`)
    }
    if (unprovenTimes.count + unprovenOutcomes.count === 0) {
      cli.out('The anchors prove all times of alerts and outcomes.')
    }
    printUnproven('Times of issue', unprovenTimes, cli)
    printUnproven('Times of outcomes', unprovenOutcomes, cli)
    printUnproven('Times of key lists, heartbeats and successions', unprovenOthers, cli)
  } catch (error) {
    throw error instanceof LogFault ? new CommandFailure(`The log is damaged: ${error.message}`) : error
  }
}

const MAX_LISTED_TIMES = 10

/**
 * Prints the stated times of entries that the anchors do not prove: the entry was anchored too
 * late, or its stated time is before an anchor that does not cover it. The log is not damaged, but
 * every verifier reports these times.
 */
function printUnproven(timesLabel: string, { count, unproven }: UnprovenTimes, cli: CliEnvironment): void {
  if (count === 0) return
  cli.out(`${timesLabel} that the anchors do not prove: ${count}`)
  for (const { index, createdAt, reason, blockAt } of unproven.slice(0, MAX_LISTED_TIMES)) {
    const reasonText = reason === 'anchored-late' ? 'anchored only at' : 'before an anchor that does not cover it, of'
    cli.out(`  entry ${index}, stated ${createdAt}: ${reasonText} ${blockAt}`)
  }
  if (count > MAX_LISTED_TIMES) cli.out(`  and ${count - MAX_LISTED_TIMES} more`)
}
