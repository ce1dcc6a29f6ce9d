import { useQuery } from '@tanstack/react-query'
import type { Alert } from '@tocsin/protocol'
import { queries } from '../../api/queries.ts'
import { Seal } from '../../ui/identity/seal.tsx'
import { anchorDelay, isLocked, sealStateOf } from '../alert/alert-words.ts'

/**
 * State of the proof in an alert toast. It updates while the toast is shown, because anchoring
 * takes seconds.
 */
export function ToastProof({ alert }: { alert: Alert }) {
  const { data: now = alert } = useQuery({
    ...queries.recentAlerts,
    select: (list) => list.find((each): each is Alert => each.id === alert.id && !isLocked(each)) ?? alert,
  })
  return (
    <span className="flex items-center gap-2 text-hint whitespace-nowrap text-2">
      <Seal leafHash={now.leafHash} root={now.root} state={sealStateOf(now)} size={20} />
      {proofWords(now)}
    </span>
  )
}

/** Fits on one line of a toast. */
function proofWords(alert: Alert): string {
  if (alert.avalancheTx === null) return 'Signed, anchoring…'
  const delay = anchorDelay(alert)
  return delay === null ? 'Anchored' : `Anchored after ${delay}`
}
