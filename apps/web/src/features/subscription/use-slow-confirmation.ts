import { useNow } from '../../ui/now.ts'
import { useFlow } from './flow-context.ts'
import { slowConfirmationMs } from './order-messages.ts'

/** Whether the payment has been unconfirmed for more than ten minutes. */
export function useIsConfirmationSlow(): boolean {
  const { phase, order, sentAtMs } = useFlow()
  const sinceMs = sentAtMs ?? Date.parse(order?.createdAt ?? '')
  return useNow((nowMs) => phase === 'sent' && nowMs - sinceMs > slowConfirmationMs)
}
