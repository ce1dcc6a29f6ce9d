import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { PagedAlert } from '@tocsin/protocol'
import { Check, Radio } from 'lucide-react'
import { useEffect, useState } from 'react'
import { call } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { toastFailure } from '../account/toast-failure.ts'
import { formatLogNumber, formatRepeatCount } from './alert-number.ts'
import { BroadcastDialog } from './broadcast-dialog.tsx'
import { refreshAfterAlertChange } from './refresh.ts'

const confirmationMs = 3000

/**
 * Broadcasts an alert to all connected clients, after a confirmation that shows the number of
 * clients. An alert can be broadcast repeatedly.
 */
export function BroadcastButton({ alert }: { alert: PagedAlert }) {
  const { id, logIndex, broadcasts } = alert
  const [isAsking, setIsAsking] = useState(false)
  const queryClient = useQueryClient()
  const { mutate, reset, isPending, isSuccess } = useMutation({
    mutationFn: () => call('broadcastAlert', { params: { id } }),
    onSuccess: () => {
      const description = `${formatLogNumber(logIndex)} sent to all connected clients`
      toast({ title: 'Alert Broadcasted', description, variant: 'success' })
      setIsAsking(false)
      refreshAfterAlertChange(queryClient)
    },
    onError: (error) => toastFailure(error, 'Failed to broadcast alert. Please try again.'),
  })
  useEffect(() => {
    if (!isSuccess) return
    const timer = setTimeout(reset, confirmationMs)
    return () => clearTimeout(timer)
  }, [isSuccess, reset])

  const Icon = isSuccess ? Check : Radio
  const wasSent = broadcasts.lastAt !== null
  const sendLabel = wasSent ? 'Broadcast again' : 'Broadcast'
  const buttonLabel = isSuccess ? 'Sent' : sendLabel
  const number = formatLogNumber(logIndex)
  return (
    <>
      <Button
        size="sm"
        aria-label={`${buttonLabel} ${number}`}
        busy={isSuccess}
        onClick={() => setIsAsking(true)}
        // Minimum width, so that a change of the label does not move other buttons.
        className="min-w-36 max-[374px]:min-w-0 max-[374px]:[&>svg]:hidden"
      >
        <Icon aria-hidden size={16} strokeWidth={2.25} />
        {buttonLabel}
      </Button>
      {isAsking && (
        <BroadcastDialog
          title={wasSent ? `Broadcast ${number} again` : `Broadcast ${number}`}
          description={
            broadcasts.lastAt !== null && (
              <>
                Sent {formatRepeatCount(broadcasts.count)}, {broadcasts.count > 1 && 'last '}
                <Time at={broadcasts.lastAt} className="text-data" />. It is sent again immediately to all connected
                clients. Clients that already have it do not show it twice.
              </>
            )
          }
          alert={alert}
          submitLabels={{ send: sendLabel, sending: 'Sending…' }}
          isSending={isPending}
          onConfirm={() => mutate()}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  )
}
