import { prepareNextSignerKey } from '../embedded/demo-secrets.ts'
import { rotateSigner } from '../features/tlog/service.ts'
import { findHead } from '../features/tlog/store.ts'
import { createSigners } from '../signer.ts'
import { type Command, exitCodes } from './command.ts'
import { withContext } from './installation.ts'

export const signerRotate: Command = {
  name: 'signer rotate',
  summary: 'Lets the next key (SIGNER_KEY_NEXT) sign alerts from now on. What was signed before stays valid.',
  usage: [
    '',
    'Start every instance with SIGNER_KEY_NEXT first: one that does not hold the key can sign no more. Afterwards make it SIGNER_KEY.',
    'In the demo the next key is made here.',
  ],
  options: {},
  files: 0,
  async run(_input, around) {
    const { index, from, to } = await withContext(around, async (ctx, { settings, config }) => {
      const { signer } = await findHead(ctx.db)
      if (!settings.demo || !signer) return rotateSigner(ctx)
      const signerKeyNext = prepareNextSignerKey(settings.dataDir, signer, ctx.clock.now())
      const held = [config.signerKeyNext, config.signerKey].flatMap((key) => (key ? [key] : []))
      return rotateSigner({
        ...ctx,
        signers: createSigners({ signerKey: signerKeyNext, signerKeyNext: null }, () => held),
      })
    })
    around.out(`Entry ${index} of the log names the new key. ${from} signed until now, ${to} signs from now on.`)
    return exitCodes.done
  },
}
