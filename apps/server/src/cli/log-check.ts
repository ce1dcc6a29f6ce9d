import { bytesToHex } from '@tocsin/proof'
import type { Context } from '../context.ts'
import { assertLogMatchesAnchors, checkLog } from '../features/tlog/check-log.ts'
import { LogFault } from '../features/tlog/log.ts'
import { type Command, CommandFailure, exitCodes, type Surroundings } from './command.ts'
import { withContext } from './installation.ts'

export const logCheck: Command = {
  name: 'log check',
  summary:
    'Recomputes the whole log from its entries and compares it with every anchor, in the database and on the chain.',
  usage: [''],
  options: {},
  files: 0,
  async run(_input, around) {
    await withContext(around, (ctx) => checkWholeLog(ctx, around))
    return exitCodes.done
  },
}

/** Prints size and root. @throws CommandFailure naming the first place that is wrong */
export async function checkWholeLog(ctx: Context, around: Surroundings): Promise<void> {
  try {
    const { size, root } = await checkLog(ctx)
    await assertLogMatchesAnchors(ctx)
    around.out(`The log is whole and agrees with its anchors: ${size} entries, root ${bytesToHex(root)}`)
  } catch (error) {
    throw error instanceof LogFault ? new CommandFailure(`The log is damaged: ${error.message}`) : error
  }
}
