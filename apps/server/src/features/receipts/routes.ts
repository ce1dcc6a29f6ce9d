import type { endpoints } from '@tocsin/protocol'
import { type Handler, requireActor } from '../../http/route.ts'
import { getPublicRpcUrl } from '../settings/public-rpc-url.ts'
import { readLogSource } from '../tlog/log-source.ts'
import { getReceipt } from './service.ts'

export const findReceipt: Handler<typeof endpoints.findReceipt> = async (ctx, input) => {
  const actor = requireActor(input)
  const { bytes, signature, chainId } = await getReceipt(ctx, {
    subscriptionId: input.params.id,
    accountId: actor.permissions.includes('payments.read') ? null : actor.accountId,
  })
  const source = await readLogSource(ctx)
  const paymentRpcUrl = getPublicRpcUrl(ctx, chainId)
  return { format: 'tocsin-receipt', version: 1, ...source, bytes, signature, paymentRpcUrl }
}
