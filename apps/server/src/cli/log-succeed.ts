import { rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { writeMirror } from '../features/tlog/log-mirror.ts'
import { startSuccessorLog } from '../features/tlog/succeed-log.ts'
import { type Command, CommandFailure, exitCodes, requireAddress, requireText } from './command.ts'
import { withContext } from './installation.ts'
import { checkWholeLog } from './log-check.ts'

export const logSucceed: Command = {
  name: 'log succeed',
  summary: 'Starts a successor log on a new anchor contract. Accounts, payments and subscriptions are kept.',
  usage: [
    '<archive> --former-contract ADDRESS --reason TEXT',
    '<archive>                  new file for all entries of the former log; its alerts are no longer listed',
    '--former-contract ADDRESS  the AlertAnchor contract of the former log',
    '--reason TEXT              the incident and the loss; signed and public',
    'Stop the server first, deploy a new contract (anchor deploy) and set ANCHOR_CONTRACT to it.',
  ],
  options: { 'former-contract': { type: 'string' }, reason: { type: 'string' } },
  files: 1,
  async run({ values, files: [file = ''] }, cli) {
    const path = resolve(cli.folder, file)
    const reason = requireText(values, 'reason')
    const formerContract = requireAddress(values, 'former-contract')
    if (await stat(path).catch(() => null)) throw new CommandFailure(`${path} already exists. Nothing was changed.`)
    await withContext(cli, async (ctx) => {
      const formerLog = await startSuccessorLog(ctx, { formerContract, reason }, async (header, entries) => {
        await writeMirror(path, header, entries)
        return () => rm(path, { force: true })
      })
      const lostEntryCount = Math.max(0, formerLog.anchoredSize - formerLog.size)
      cli.out(
        `Archived ${formerLog.size} entries of the former log in ${path}. Lost anchored entries: ${lostEntryCount}.`,
      )
      await checkWholeLog(ctx, cli, { isChainRequired: false })
    })
    return exitCodes.done
  },
}
