import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AlertSelection } from '@tocsin/protocol'
import { Braces, Download, Table2 } from 'lucide-react'
import { sentenceOf } from '../../api.ts'
import { queries } from '../../queries.ts'
import { alertsTexts } from '../../texts/alerts.tsx'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { toast } from '../../ui/toast.tsx'
import { type ExportFormat, saveExport } from './save-export.ts'

const texts = alertsTexts.exportMenu

/** What is selected now, as a file. */
export function ExportMenu({ selection, words }: { selection: AlertSelection; words: string }) {
  const client = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: (format: ExportFormat) => saveExport(format, selection),
    onSuccess: () => client.invalidateQueries({ queryKey: queries.activity.queryKey }),
    onError: (error) => {
      const description = sentenceOf(error, texts.serverDidNotAnswerNothing)
      toast({ title: texts.exportFailed, description, variant: 'destructive' })
    },
  })
  return (
    <Menu
      title={words}
      trigger={
        <Button variant="ghost" busy={isPending}>
          <Download aria-hidden size={16} strokeWidth={2.25} />
          <span className="phone:sr-only">{isPending ? texts.exporting : texts.export}</span>
        </Button>
      }
    >
      <MenuItem icon={Table2} label="CSV" hint={texts.forSpreadsheetsWithProof} onSelect={() => mutate('csv')} />
      <MenuItem icon={Braces} label="JSON" hint={texts.eachAlert} onSelect={() => mutate('json')} />
    </Menu>
  )
}
