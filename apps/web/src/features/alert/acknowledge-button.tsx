import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CheckCheck } from 'lucide-react'
import { useCallback, useRef } from 'react'
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
  const status = useRef<HTMLSpanElement>(null)
  const acknowledge = useMutation({
    mutationFn: () => call('acknowledgeAlert', { body: { logIndex } }),
    onSuccess: async (acknowledgement) => {
      const { queryKey } = queries.acknowledgements
      // The button is about to be removed. In a toast, the focus is not kept, because the toast
      // stays open while it has the focus.
      if (!plain && status.current?.contains(document.activeElement)) status.current.focus()
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
  const click = () => !acknowledge.isPending && acknowledge.mutate()
  return (
    <span ref={status} role="status" tabIndex={-1} className="inline-flex outline-none">
      {acknowledgedAt !== undefined ? (
        <span className="inline-flex items-center gap-1.5 text-base text-2">
          <CheckCheck aria-hidden size={16} strokeWidth={2.25} />
          Acknowledged <Time at={acknowledgedAt} />
        </span>
      ) : plain ? (
        <button
          type="button"
          aria-disabled={acknowledge.isPending}
          onClick={click}
          className="link touch-target whitespace-nowrap"
        >
          Acknowledge
        </button>
      ) : (
        <Button size="sm" busy={acknowledge.isPending} onClick={click}>
          <CheckCheck aria-hidden size={16} strokeWidth={2.25} />
          Acknowledge
        </Button>
      )}
    </span>
  )
}
