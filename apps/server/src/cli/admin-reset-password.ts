import { resetAdminPassword } from '../features/accounts/service.ts'
import { type Command, exitCodes, requireText } from './command.ts'
import { withContext } from './installation.ts'
import { newPassword, passwordOptions, passwordUsage } from './new-password.ts'

export const adminResetPassword: Command = {
  name: 'admin reset-password',
  summary:
    'Sets the password of an admin, ends their sessions, API keys, private feed and links, and notifies them by email.',
  usage: [
    '--email ADDRESS [--password-file FILE | --generate]',
    '--email ADDRESS        the admin’s address',
    ...passwordUsage,
  ],
  options: { email: { type: 'string' }, ...passwordOptions },
  files: 0,
  async run({ values }, cli) {
    const email = requireText(values, 'email')
    const { password, show } = await newPassword(values, cli)
    await withContext(cli, (ctx) => resetAdminPassword(ctx, email, password))
    cli.out(`The password of ${email} was changed. All sessions, API keys, the private feed and all links have ended.`)
    show()
    return exitCodes.done
  },
}
