import { resumeLog } from '../features/tlog/resume-log.ts'
import { type Command, exitCodes } from './command.ts'
import { withContext } from './installation.ts'
import { checkWholeLog } from './log-check.ts'

export const logResume: Command = {
  name: 'log resume',
  summary: 'Lets a log that has stopped at damage go on, if all of it is right again.',
  usage: [''],
  options: {},
  files: 0,
  async run(_input, around) {
    const stop = await withContext(around, async (ctx) => {
      await checkWholeLog(ctx, around)
      return resumeLog(ctx)
    })
    around.out(stop ? `The log goes on. It had stopped: ${stop.reason}` : 'The log was not stopped.')
    return exitCodes.done
  },
}
