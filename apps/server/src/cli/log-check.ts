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

/** Prints size and root, and which times of issue are not proven. @throws CommandFailure naming the first place that is wrong */
export async function checkWholeLog(ctx: Context, around: Surroundings): Promise<void> {
  try {
    const { size, root, unprovenTimes } = await checkLog(ctx)
    await assertLogMatchesAnchors(ctx)
    around.out(`The log is whole and agrees with its anchors: ${size} entries, root ${bytesToHex(root)}`)
    sayUnprovenTimes(unprovenTimes, around)
  } catch (error) {
    throw error instanceof LogFault ? new CommandFailure(`The log is damaged: ${error.message}`) : error
  }
}

type UnprovenTimes = Awaited<ReturnType<typeof checkLog>>['unprovenTimes']

const LISTED = 10

/** No damage, but every verifier reports them: the anchor came late, or the stated time is before an anchor that does not cover the entry. */
function sayUnprovenTimes({ count, unproven }: UnprovenTimes, around: Surroundings): void {
  if (count === 0) {
    around.out('The anchors prove all times of issue.')
    return
  }
  around.out(`Times of issue that the anchors do not prove: ${count}`)
  for (const { index, createdAt, why, blockAt } of unproven.slice(0, LISTED)) {
    const reason = why === 'anchored-late' ? 'anchored only at' : 'before an anchor that does not cover it, of'
    around.out(`  entry ${index}, issued ${createdAt}: ${reason} ${blockAt}`)
  }
  if (count > LISTED) around.out(`  and ${count - LISTED} more`)
}
