import { createAdmin } from '../features/accounts/first-admin.ts'
import { type Command, exitCodes, requireText, textOf } from './command.ts'
import { withContext } from './installation.ts'
import { newPassword, passwordOptions, passwordUsage } from './new-password.ts'

export const adminCreate: Command = {
  name: 'admin create',
  summary: 'Creates an admin who signs in with an email address and a password.',
  usage: [
    '--email ADDRESS [--name NAME] [--password-file FILE | --generate] [--existing]',
    '--email ADDRESS        the admin’s email address; it counts as verified',
    '--name NAME            display name; the default is "Administrator"',
    '--existing             promotes the existing account with this address to admin and sets its password',
    ...passwordUsage,
  ],
  options: {
    email: { type: 'string' },
    name: { type: 'string' },
    existing: { type: 'boolean' },
    ...passwordOptions,
  },
  files: 0,
  async run({ values }, cli) {
    const email = requireText(values, 'email')
    const name = textOf(values, 'name') ?? 'Administrator'
    const { password, show } = await newPassword(values, cli)
    await withContext(cli, (ctx) => createAdmin(ctx, { email, name, password, takeOver: values.existing === true }))
    cli.out(`${email} is now an admin.`)
    show()
    return exitCodes.done
  },
}
