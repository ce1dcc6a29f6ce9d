import { resetFactorsNow } from '../features/factors/reset.ts'
import { type Command, exitCodes, requireText } from './command.ts'
import { withContext } from './installation.ts'

export const adminResetFactors: Command = {
  name: 'admin reset-factors',
  summary: 'Removes the second factors of an account at once, and prints the code with which staff enrol a new one.',
  usage: [
    '--email ADDRESS',
    '--email ADDRESS        the account’s address',
    'Without second factors it only prints a new code. Other owners can do the same in the admin area.',
  ],
  options: { email: { type: 'string' } },
  files: 0,
  async run({ values }, cli) {
    const email = requireText(values, 'email')
    const issued = await withContext(cli, (ctx) => resetFactorsNow(ctx, email))
    cli.out(`${email} has no second factor now.`)
    if (issued) cli.out(`Enrolment code, valid once until ${issued.expiresAt}: ${issued.code}`)
    return exitCodes.done
  },
}
