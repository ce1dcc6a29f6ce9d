import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/api.ts'
import { useConfirmed } from '../../session/confirmed.ts'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { DeleteAccountDialog } from './delete-account-dialog.tsx'
import { SettingRow, SettingRows } from './setting-row.tsx'
import { toastFailure } from './use-account-change.ts'

/** Data export and account deletion. */
export function OwnDataSection() {
  const [isDeleting, setIsDeleting] = useState(false)
  return (
    <Panel title="Your data" flush>
      <SettingRows>
        <SettingRow label="Download my data" detail="All data of your account in one JSON file.">
          <DownloadButton />
        </SettingRow>
        <SettingRow label="Delete my account" detail="Ends your subscription and all sessions. It can’t be undone.">
          <Button variant="danger" aria-label="Delete my account" onClick={() => setIsDeleting(true)}>
            Delete…
          </Button>
        </SettingRow>
      </SettingRows>
      {isDeleting && <DeleteAccountDialog onClose={() => setIsDeleting(false)} />}
    </Panel>
  )
}

function DownloadButton() {
  const confirmed = useConfirmed()
  const download = useMutation({
    mutationFn: () => confirmed(() => call('exportAccount')),
    onSuccess: (data) => saveFile(`tocsin-account-${data.exportedAt.slice(0, 10)}.json`, JSON.stringify(data, null, 2)),
    onError: (error) => toastFailure(error, 'Your data could not be exported. Please try again.'),
  })
  return (
    <Button busy={download.isPending} aria-label="Download my data" onClick={() => download.mutate()}>
      {download.isPending ? 'Preparing…' : 'Download'}
    </Button>
  )
}
