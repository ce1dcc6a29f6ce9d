import { staffRoles } from '@tocsin/protocol'
import { z } from 'zod'
import { createAdmin } from '../features/accounts/first-admin.ts'
import { type Command, CommandFailure, exitCodes, findTextOption, requireText } from './command.ts'
import { withContext } from './installation.ts'
import { newPassword, passwordOptions, passwordUsage } from './new-password.ts'

export const adminCreate: Command = {
  name: 'admin create',
  summary: 'Creates a member of staff who signs in with an email address and a password.',
  usage: [
    '--email ADDRESS [--name NAME] [--role ROLE] [--password-file FILE | --generate] [--existing]',
    '--email ADDRESS        the email address; it counts as verified',
    '--name NAME            display name; the default is "Administrator", or the name of the existing account',
    `--role ROLE            ${staffRoles.join(', ')}; the default is owner`,
    '--existing             gives the role to the existing account with this address and sets its password',
    ...passwordUsage,
  ],
  options: {
    email: { type: 'string' },
    name: { type: 'string' },
    role: { type: 'string' },
    existing: { type: 'boolean' },
    ...passwordOptions,
  },
  files: 0,
  async run({ values }, cli) {
    const email = requireText(values, 'email')
    const name = findTextOption(values, 'name') ?? null
    const role = z.enum(staffRoles).safeParse(findTextOption(values, 'role') ?? 'owner')
    if (!role.success) throw new CommandFailure(`--role is not one of ${staffRoles.join(', ')}.`)
    const adminFields = { email, name, role: role.data, takeOver: values.existing === true }
    const { password, show } = await newPassword(values, cli)
    const { enrolmentCode: issuedCode, kept } = await withContext(cli, (ctx) =>
      createAdmin(ctx, { ...adminFields, password }),
    )
    cli.out(`${email} now has the role ${role.data}.`)
    show()
    if (kept.length > 0)
      cli.out(`The account can also sign in with ${kept.join(', ')}: check that these belong to this person.`)
    if (issuedCode)
      cli.out(`Enrolment code for a second factor, valid once until ${issuedCode.expiresAt}: ${issuedCode.code}`)
    return exitCodes.done
  },
}
