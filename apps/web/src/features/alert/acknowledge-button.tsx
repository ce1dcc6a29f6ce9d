import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CheckCheck } from 'lucide-react'
import { useCallback } from 'react'
import { call, getErrorMessage } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { notifyOtherTabs, useOtherTabs } from '../../browser/other-tabs.ts'
import { Button } from '../../ui/button.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'

interface AcknowledgeButtonProps {
  logIndex: number
  /** Shows the button like a link, for toasts. */
  plain?: boolean
}

/** Button that acknowledges a critical alert for all devices, which ends its escalation. */
export function AcknowledgeButton({ logIndex, plain = false }: AcknowledgeButtonProps) {
  const queryClient = useQueryClient()
  const { data } = useQuery(queries.acknowledgements)
  const refetch = useCallback(
    () => void queryClient.invalidateQueries({ queryKey: queries.acknowledgements.queryKey }),
    [queryClient],
  )
  useOtherTabs('acknowledgements', refetch)
  const acknowledge = useMutation({
    mutationFn: () => call('acknowledgeAlert', { body: { logIndex } }),
    onSuccess: async (acknowledgement) => {
      const { queryKey } = queries.acknowledgements
      // Replace the request in flight, because its response may be older than the acknowledgement.
      await queryClient.cancelQueries({ queryKey })
      // Update the list only if it is loaded. A list with only this entry would hide the other
      // acknowledgements until the response.
      queryClient.setQueryData(
        queryKey,
        (list) => list && [acknowledgement, ...list.filter((each) => each.logIndex !== logIndex)],
      )
      refetch()
      notifyOtherTabs('acknowledgements')
    },
    onError: (error) =>
      toast({
        title: 'Not acknowledged',
        description: getErrorMessage(error, 'The alert could not be acknowledged. Please try again.'),
        variant: 'destructive',
      }),
  })
  const acknowledgedAt = data?.find((each) => each.logIndex === logIndex)?.at
  if (acknowledgedAt !== undefined) {
    return (
      <span className="inline-flex items-center gap-1.5 text-base text-2">
        <CheckCheck aria-hidden size={16} strokeWidth={2.25} />
        Acknowledged <Time at={acknowledgedAt} />
      </span>
    )
  }
  return plain ? (
    <button
      type="button"
      disabled={acknowledge.isPending}
      onClick={() => acknowledge.mutate()}
      className="link touch-target whitespace-nowrap"
    >
      Acknowledge
    </button>
  ) : (
    <Button size="sm" busy={acknowledge.isPending} onClick={() => acknowledge.mutate()}>
      <CheckCheck aria-hidden size={16} strokeWidth={2.25} />
      Acknowledge
    </Button>
  )
}
