import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api.ts'
import { useConfirmed } from '../../confirmation.tsx'
import { settingsTexts } from '../../texts/settings.tsx'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { DeleteAccountDialog } from './delete-account-dialog.tsx'
import { SettingRow, SettingRows } from './setting-row.tsx'
import { toastFailure } from './use-account-change.ts'

const texts = settingsTexts.ownDataSection

/** Taking one's data along, and leaving. */
export function OwnDataSection() {
  const [isDeleting, setIsDeleting] = useState(false)
  return (
    <Panel title={texts.yourData} flush>
      <SettingRows>
        <SettingRow label={texts.downloadMyData} detail={texts.allThatWeHoldAbout}>
          <DownloadButton />
        </SettingRow>
        <SettingRow label={texts.deleteMyAccount} detail={texts.endsYourSubscription}>
          <Button variant="danger" aria-label={texts.deleteMyAccount} onClick={() => setIsDeleting(true)}>
            {texts.delete}
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
    onSuccess: (held) => saveFile(`tocsin-account-${held.exportedAt.slice(0, 10)}.json`, JSON.stringify(held, null, 2)),
    onError: (error) => toastFailure(error, texts.yourDataCould),
  })
  return (
    <Button busy={download.isPending} aria-label={texts.downloadMyData} onClick={() => download.mutate()}>
      {download.isPending ? texts.collecting : texts.download}
    </Button>
  )
}
