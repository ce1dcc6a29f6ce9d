import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { getErrorMessage } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { toast } from '../../ui/toast.tsx'
import { loadOutcomes } from './load-outcomes.ts'
import { makeBundle } from './proof-bundle.ts'
import { createProofFileName } from './verify-command.ts'

/** Downloads the proof file of an alert with its outcomes and the current key lists. */
export function DownloadProof({ alert }: { alert: { id: string; logIndex: number } }) {
  const client = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const config = await client.ensureQueryData(queries.config)
      const { entries } = await client.fetchQuery({ ...queries.logKeys, staleTime: 0 })
      const outcomes = await loadOutcomes(alert.id)
      const bundle = { ...makeBundle(config, entries, alert), ...(outcomes.length > 0 ? { outcomes } : {}) }
      saveFile(createProofFileName(alert.logIndex), JSON.stringify(bundle, null, 2))
    },
    onError: (error) => {
      const description = getErrorMessage(error, 'The proof could not be created. Please try again.')
      toast({ title: 'Download Failed', description, variant: 'destructive' })
    },
  })
  return (
    <Button size="sm" busy={isPending} onClick={() => mutate()}>
      <Download aria-hidden size={16} strokeWidth={2.25} />
      Download proof
    </Button>
  )
}
