import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AlertSelection } from '@tocsin/protocol'
import { Braces, Download, Table2 } from 'lucide-react'
import { ApiError, formatQuery, getErrorMessage } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { saveBlob } from '../../ui/save-file.ts'
import { toast } from '../../ui/toast.tsx'
import { toQuery } from '../alert/alert-queries.ts'

/** Menu that exports the selected alerts as a file. */
export function ExportMenu({ selection, title }: { selection: AlertSelection; title: string }) {
  const client = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: (format: ExportFormat) => saveExport(format, selection),
    onSuccess: () => client.invalidateQueries({ queryKey: queries.activity.queryKey }),
    onError: (error) => {
      const description = getErrorMessage(error, 'The server did not respond. Nothing was saved. Please try again.')
      toast({ title: 'Export Failed', description, variant: 'destructive' })
    },
  })
  return (
    <Menu
      title={title}
      trigger={
        <Button variant="ghost" busy={isPending}>
          <Download aria-hidden size={16} strokeWidth={2.25} />
          <span className="phone:sr-only">{isPending ? 'Exporting…' : 'Export'}</span>
        </Button>
      }
    >
      <MenuItem icon={Table2} label="CSV" hint="For spreadsheets, with proof fields" onSelect={() => mutate('csv')} />
      <MenuItem icon={Braces} label="JSON" hint="Full alerts, for the verifier" onSelect={() => mutate('json')} />
    </Menu>
  )
}

type ExportFormat = 'csv' | 'json'

/**
 * Downloads the selected alerts as a file. The response stays a Blob, because it can be large.
 * @throws ApiError if the response is not OK; TypeError if the server is unreachable or the
 *   connection breaks
 */
async function saveExport(format: ExportFormat, selection: AlertSelection): Promise<void> {
  const response = await fetch(`/api/alerts/export.${format}${formatQuery(toQuery(selection))}`, {
    credentials: 'include',
  })
  if (!response.ok) throw new ApiError(response.status, await response.text(), response.statusText)
  const name = /filename="([\w.-]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1]
  saveBlob(name ?? `tocsin-alerts.${format}`, await response.blob())
}
