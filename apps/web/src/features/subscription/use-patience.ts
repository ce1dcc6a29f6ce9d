import { useNow } from '../../ui/now.ts'
import { useFlow } from './flow-context.ts'
import { watchPatienceMs } from './order-words.ts'

/** Whether the payment is without a block for ten minutes. */
export function useIsOutOfPatience(): boolean {
  const { phase, order, sentAtMs } = useFlow()
  const sinceMs = sentAtMs ?? Date.parse(order?.createdAt ?? '')
  return useNow((nowMs) => phase === 'sent' && nowMs - sinceMs > watchPatienceMs)
}
