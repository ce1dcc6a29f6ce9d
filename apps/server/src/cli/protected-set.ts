import { forceChange } from '../features/settings/protected-changes.ts'
import { type Command, CommandFailure, exitCodes, findTextOption, requireAddress, requireText } from './command.ts'
import { withContext } from './installation.ts'

export const protectedSet: Command = {
  name: 'protected set',
  summary:
    'Sets the approved treasury or signing key at once, without two admins. All admins and the public are notified.',
  usage: [
    '--kind treasury|signer --address ADDRESS --reason TEXT [--chain ID]',
    '--kind KIND            treasury or signer',
    '--address ADDRESS      the new address, with its EIP-55 checksum',
    '--chain ID             the chain of the treasury; the default is CHAIN_ID',
    '--reason TEXT          kept in the audit log',
    'For emergencies: with two admins, propose the change in the admin area. Restart every instance afterwards.',
  ],
  options: {
    kind: { type: 'string' },
    address: { type: 'string' },
    chain: { type: 'string' },
    reason: { type: 'string' },
  },
  files: 0,
  async run({ values }, cli) {
    const kind = requireText(values, 'kind')
    if (kind !== 'treasury' && kind !== 'signer') throw new CommandFailure('--kind is neither treasury nor signer.')
    const toValue = requireAddress(values, 'address')
    const reason = requireText(values, 'reason')
    await withContext(cli, async (ctx) => {
      if (!ctx.config.twoAdmins.isOn) throw new CommandFailure('The two-admin rule is off (TWO_ADMINS).')
      const chainId = kind === 'treasury' ? Number(findTextOption(values, 'chain') ?? ctx.config.payment.chainId) : null
      if (chainId !== null && !Number.isSafeInteger(chainId)) throw new CommandFailure('--chain is not a chain id.')
      await forceChange(ctx, { kind, chainId, toValue, reason })
    })
    cli.out(`The approved ${kind} is now ${toValue}. All admins were notified. Restart every instance.`)
    return exitCodes.done
  },
}
