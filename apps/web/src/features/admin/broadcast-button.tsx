import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Check, Radio } from 'lucide-react'
import { useEffect } from 'react'
import { call, sentenceOf } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { readAlertsAgain } from './admin-queries.ts'
import { logNumber } from './history-search.ts'

const confirmedMs = 3000

/** Sends an alert to all connected clients, as often as need be. */
export function BroadcastButton({ id, logIndex }: { id: string; logIndex: number }) {
  const queryClient = useQueryClient()
  const { mutate, reset, isPending, isSuccess } = useMutation({
    mutationFn: () => call('broadcastAlert', { params: { id } }),
    onSuccess: () => {
      const description = `${logNumber(logIndex)} sent to all connected clients`
      toast({ title: 'Alert Broadcasted', description, variant: 'success' })
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
  const word = isPending ? 'Sending…' : isSuccess ? 'Sent' : 'Broadcast'
  return (
    <Button
      size="sm"
      aria-label={`${word} ${logNumber(logIndex)}`}
      busy={isPending || isSuccess}
      onClick={() => mutate()}
      className="min-w-24"
    >
      <Icon aria-hidden size={16} strokeWidth={2.25} />
      {word}
    </Button>
  )
}
