import { resumeLog } from '../features/tlog/resume-log.ts'
import { type Command, exitCodes } from './command.ts'
import { withContext } from './installation.ts'
import { checkWholeLog } from './log-check.ts'

export const logResume: Command = {
  name: 'log resume',
  summary: 'Checks a log that was stopped because of damage, and resumes it if the damage is repaired.',
  usage: [''],
  options: {},
  files: 0,
  async run(_input, cli) {
    const stop = await withContext(cli, async (ctx) => {
      await checkWholeLog(ctx, cli)
      return resumeLog(ctx)
    })
    cli.out(stop ? `The log was resumed. It had been stopped: ${stop.reason}` : 'The log was not stopped.')
    return exitCodes.done
  },
}
