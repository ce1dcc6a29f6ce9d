import { rotateSigner } from '../features/tlog/service.ts'
import { findHead } from '../features/tlog/store.ts'
import { createSigners } from '../signer.ts'
import { type Command, exitCodes } from './command.ts'
import { withContext } from './installation.ts'

export const signerRotate: Command = {
  name: 'signer rotate',
  summary: 'Switches to the next signing key (SIGNER_KEY_NEXT). Existing signatures stay valid.',
  usage: [
    '',
    'First restart every instance with SIGNER_KEY_NEXT: an instance without the new key can no longer sign.',
    'Afterwards move the key to SIGNER_KEY. In the demo, this command generates the key.',
  ],
  options: {},
  files: 0,
  async run(_input, cli) {
    const { index, from, to } = await withContext(cli, async (ctx, { settings, config }) => {
      const { signer } = await findHead(ctx.db)
      if (!settings.demo || !cli.demo || !signer) return rotateSigner(ctx)
      const signerKeyNext = cli.demo.prepareNextSignerKey(settings.dataDir, signer, ctx.clock.now())
      const heldKeys = [config.signerKeyNext, config.signerKey].flatMap((key) => (key ? [key] : []))
      return rotateSigner({
        ...ctx,
        signers: createSigners({ signerKey: signerKeyNext, signerKeyNext: null }, () => heldKeys),
      })
    })
    cli.out(`Log entry ${index} changes the signing key from ${from} to ${to}.`)
    return exitCodes.done
  },
}
