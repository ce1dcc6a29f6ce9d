import type { endpoints } from '@tocsin/protocol'
import { type Handler, signedIn } from '../../http/route.ts'
import { type LogFacts, readLogSource } from '../../log-source.ts'
import { getReceipt } from './service.ts'

export function createFindReceipt(log: LogFacts): Handler<typeof endpoints.findReceipt> {
  return async (ctx, input) => {
    const actor = signedIn(input)
    const { bytes, signature, chainId } = await getReceipt(ctx, log.proofDomain(ctx), {
      subscriptionId: input.params.id,
      accountId: actor.isAdmin ? null : actor.accountId,
    })
    const source = await readLogSource(ctx, log)
    const paymentRpcUrl = log.publicRpcUrl(ctx, chainId)
    return { format: 'tocsin-receipt', version: 1, ...source, bytes, signature, paymentRpcUrl }
  }
}
