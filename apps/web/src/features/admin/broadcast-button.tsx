import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AdminAlert } from '@tocsin/protocol'
import { Check, Radio } from 'lucide-react'
import { useEffect, useState } from 'react'
import { call, sentenceOf } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { logNumber } from './alert-number.ts'
import { BroadcastDialog } from './broadcast-dialog.tsx'
import { readAlertsAgain } from './read-again.ts'

const confirmedMs = 3000

/** Sends an alert to all connected clients, as often as need be, after a look at how many that are. */
export function BroadcastButton({ alert }: { alert: AdminAlert }) {
  const { id, logIndex } = alert
  const [isAsking, setIsAsking] = useState(false)
  const queryClient = useQueryClient()
  const { mutate, reset, isPending, isSuccess } = useMutation({
    mutationFn: () => call('broadcastAlert', { params: { id } }),
    onSuccess: () => {
      const description = `${logNumber(logIndex)} sent to all connected clients`
      toast({ title: 'Alert Broadcasted', description, variant: 'success' })
      setIsAsking(false)
      readAlertsAgain(queryClient)
    },
    onError: (error) => {
      const description = sentenceOf(error, 'Failed to broadcast alert. Please try again.')
      toast({ title: 'Error', description, variant: 'destructive' })
    },
  })
  useEffect(() => {
    if (!isSuccess) return
    const timer = setTimeout(reset, confirmedMs)
    return () => clearTimeout(timer)
  }, [isSuccess, reset])

  const Icon = isSuccess ? Check : Radio
  const word = isSuccess ? 'Sent' : 'Broadcast'
  return (
    <>
      <Button
        size="sm"
        aria-label={`${word} ${logNumber(logIndex)}`}
        busy={isSuccess}
        onClick={() => setIsAsking(true)}
        className="min-w-24"
      >
        <Icon aria-hidden size={16} strokeWidth={2.25} />
        {word}
      </Button>
      {isAsking && (
        <BroadcastDialog
          title={`Broadcast ${logNumber(logIndex)}`}
          alert={alert}
          words={{ send: 'Broadcast', sending: 'Sending…' }}
          isSending={isPending}
          onConfirm={() => mutate()}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  )
}
