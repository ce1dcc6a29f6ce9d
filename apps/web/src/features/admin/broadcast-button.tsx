import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AdminAlert } from '@tocsin/protocol'
import { Check, Radio } from 'lucide-react'
import { useEffect, useState } from 'react'
import { call } from '../../api.ts'
import { adminAlertsTexts } from '../../texts/admin-alerts.tsx'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { toastRefusal } from './admin-toasts.ts'
import { logNumber } from './alert-number.ts'
import { BroadcastDialog } from './broadcast-dialog.tsx'
import { readAlertsAgain } from './read-again.ts'

const texts = adminAlertsTexts.broadcastButton

const confirmedMs = 3000

/** Sends an alert to all connected clients, as often as need be, after a look at how many that are. */
export function BroadcastButton({ alert }: { alert: AdminAlert }) {
  const { id, logIndex } = alert
  const [isAsking, setIsAsking] = useState(false)
  const queryClient = useQueryClient()
  const { mutate, reset, isPending, isSuccess } = useMutation({
    mutationFn: () => call('broadcastAlert', { params: { id } }),
    onSuccess: () => {
      const description = texts.sentToAllConnectedClients({ logIndex: logNumber(logIndex) })
      toast({ title: texts.alertBroadcasted, description, variant: 'success' })
      setIsAsking(false)
      readAlertsAgain(queryClient)
    },
    onError: (error) => toastRefusal(texts.error, error, texts.failedToBroadcastAlert),
  })
  useEffect(() => {
    if (!isSuccess) return
    const timer = setTimeout(reset, confirmedMs)
    return () => clearTimeout(timer)
  }, [isSuccess, reset])

  const Icon = isSuccess ? Check : Radio
  const word = isSuccess ? texts.sent : texts.broadcast
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
          title={texts.broadcastLogIndex({ logIndex: logNumber(logIndex) })}
          alert={alert}
          words={{ send: texts.broadcast, sending: texts.sending }}
          isSending={isPending}
          onConfirm={() => mutate()}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  )
}
