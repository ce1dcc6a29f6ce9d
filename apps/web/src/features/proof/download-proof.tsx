import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { sentenceOf } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { toast } from '../../ui/toast.tsx'
import { makeBundle, proofFileName } from './proof-bundle.ts'

type DownloadProofProps = { alert: { logIndex: number }; size?: 'sm' | 'md' }

/** Downloads the proof file of an alert, with current key lists. */
export function DownloadProof({ alert, size = 'sm' }: DownloadProofProps) {
  const client = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const config = await client.ensureQueryData(queries.config)
      const { entries } = await client.fetchQuery({ ...queries.logKeys, staleTime: 0 })
      saveFile(proofFileName(alert.logIndex), JSON.stringify(makeBundle(config, entries, alert), null, 2))
    },
    onError: (error) => {
      const description = sentenceOf(error, 'The proof could not be put together. Please try again.')
      toast({ title: 'Download Failed', description, variant: 'destructive' })
    },
  })
  return (
    <Button size={size} busy={isPending} onClick={() => mutate()}>
      <Download aria-hidden size={16} strokeWidth={2.25} />
      Download proof
    </Button>
  )
}
