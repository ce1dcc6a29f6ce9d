import { parseEmail } from '../email-address.ts'
import { endAccess } from '../features/accounts/end-access.ts'
import { resetFactorsNow } from '../features/factors/reset.ts'
import { type Command, exitCodes, requireText } from './command.ts'
import { withContext } from './installation.ts'

export const adminResetFactors: Command = {
  name: 'admin reset-factors',
  summary: 'Removes the second factors of an account at once, and prints the code with which staff enrol a new one.',
  usage: [
    '--email ADDRESS [--end-access]',
    '--email ADDRESS        the account’s address',
    '--end-access           also ends the sessions, API keys, private feed, mailed and shared links of the account',
    'Without second factors it only prints a new code. Other owners can issue such a code in the admin area.',
    'A reset that is requested in the admin area takes effect after 24 hours.',
  ],
  options: { email: { type: 'string' }, 'end-access': { type: 'boolean' } },
  files: 0,
  async run({ values }, cli) {
    const email = parseEmail(requireText(values, 'email'))
    const endsAccess = values['end-access'] === true
    const issuedCode = await withContext(cli, (ctx) =>
      resetFactorsNow(ctx, email, endsAccess ? (tx, id) => endAccess(ctx, tx, id, 'operator command') : undefined),
    )
    cli.out(`${email} has no second factor now.`)
    if (endsAccess) cli.out('Its sessions, API keys, private feed, mailed links and shared links have ended.')
    if (issuedCode) cli.out(`Enrolment code, valid once until ${issuedCode.expiresAt}: ${issuedCode.code}`)
    return exitCodes.done
  },
}
