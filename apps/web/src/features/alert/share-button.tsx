import type { Alert } from '@tocsin/protocol'
import { Share2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { lazyLoad } from '../../ui/lazy-load.tsx'

const ShareDialog = lazyLoad(async () => (await import('./share-dialog.tsx')).ShareDialog)

type ShareButtonProps = {
  alert: Pick<Alert, 'id' | 'logIndex' | 'createdAt'>
  /** Shows an icon instead of the label, for headers. */
  isIcon?: boolean
}

/** Button that opens the dialog with the public link of an alert. */
export function ShareButton({ alert, isIcon = false }: ShareButtonProps) {
  // The alert of the open dialog. It stays the same when the page shows another alert.
  const [sharedAlert, setSharedAlert] = useState<ShareButtonProps['alert'] | null>(null)
  const open = () => setSharedAlert(alert)
  return (
    <>
      {isIcon ? (
        <IconButton icon={Share2} label="Share" aria-haspopup="dialog" onClick={open} />
      ) : (
        <Button size="sm" aria-haspopup="dialog" onClick={open}>
          <Share2 aria-hidden size={16} strokeWidth={2.25} />
          Share
        </Button>
      )}
      {sharedAlert && (
        <Suspense>
          <ShareDialog alert={sharedAlert} onClose={() => setSharedAlert(null)} />
        </Suspense>
      )}
    </>
  )
}
