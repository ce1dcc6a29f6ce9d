import type { Alert } from '@tocsin/protocol'
import { Share2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { lazyLoad } from '../../ui/lazy-load.tsx'

const ShareDialog = lazyLoad(async () => (await import('./share-dialog.tsx')).ShareDialog)

type ShareButtonProps = {
  alert: Pick<Alert, 'id' | 'logIndex' | 'createdAt'>
  size?: 'sm' | 'md'
  /** Shows an icon instead of the label, for headers. */
  isIcon?: boolean
}

/** Button that opens the dialog with the public link of an alert. */
export function ShareButton({ alert, size = 'sm', isIcon = false }: ShareButtonProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      {isIcon ? (
        <IconButton icon={Share2} label="Share" aria-haspopup="dialog" onClick={() => setIsOpen(true)} />
      ) : (
        <Button size={size} aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
          <Share2 aria-hidden size={16} strokeWidth={2.25} />
          Share
        </Button>
      )}
      {isOpen && (
        <Suspense>
          <ShareDialog alert={alert} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
