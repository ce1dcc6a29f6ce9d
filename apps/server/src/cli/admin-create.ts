import { createAdmin } from '../features/accounts/first-admin.ts'
import { type Command, exitCodes, requireText, textOf } from './command.ts'
import { withContext } from './installation.ts'
import { newPassword, passwordOptions, passwordUsage } from './new-password.ts'

export const adminCreate: Command = {
  name: 'admin create',
  summary: 'Makes an admin who signs in with an email address and a password.',
  usage: [
    '--email ADDRESS [--name NAME] [--password-file FILE | --generate] [--existing]',
    '--email ADDRESS        where the admin gets mail; it counts as confirmed',
    '--name NAME            what others see; "Administrator" unless given',
    '--existing             makes the account that has the address already an admin, with the new password',
    ...passwordUsage,
  ],
  options: {
    email: { type: 'string' },
    name: { type: 'string' },
    existing: { type: 'boolean' },
    ...passwordOptions,
  },
  files: 0,
  async run({ values }, around) {
    const email = requireText(values, 'email')
    const name = textOf(values, 'name') ?? 'Administrator'
    const { password, show } = await newPassword(values, around)
    await withContext(around, (ctx) => createAdmin(ctx, { email, name, password, takeOver: values.existing === true }))
    around.out(`${email} is an admin now.`)
    show()
    return exitCodes.done
  },
}
