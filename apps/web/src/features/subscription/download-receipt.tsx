import { useMutation } from '@tanstack/react-query'
import { FileCheck2 } from 'lucide-react'
import { call, sentenceOf } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { toast } from '../../ui/toast.tsx'

/** Saves the signed receipt of a paid period. /verification and the command line can check it. */
export function DownloadReceipt({ subscriptionId }: { subscriptionId: string }) {
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const receipt = await call('findReceipt', { params: { id: subscriptionId } })
      saveFile(`tocsin-receipt-${subscriptionId}.json`, JSON.stringify(receipt, null, 2))
    },
    onError: (error) => {
      const description = sentenceOf(error, 'The receipt could not be fetched. Please try again.')
      toast({ title: 'Download Failed', description, variant: 'destructive' })
    },
  })
  return (
    <Button size="sm" variant="ghost" busy={isPending} onClick={() => mutate()}>
      <FileCheck2 aria-hidden size={16} strokeWidth={2.25} />
      Receipt
    </Button>
  )
}
