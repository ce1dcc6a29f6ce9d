import { Download } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { useCopied } from '../../ui/use-copied.ts'

interface RecoveryCodesDialogProps {
  codes: readonly string[]
  onClose: () => void
}

/**
 * Shows the recovery codes, which are not shown again. If they were neither saved nor copied, the
 * first attempt to close the dialog shows a warning.
 */
export function RecoveryCodesDialog({ codes, onClose }: RecoveryCodesDialogProps) {
  const { feedback, Icon, copy } = useCopied()
  const [isSaved, setIsSaved] = useState(false)
  const [isWarned, setIsWarned] = useState(false)
  const [hasFailed, setHasFailed] = useState(false)
  const text = codes.join('\n')

  function close() {
    if (isSaved || isWarned) onClose()
    else setIsWarned(true)
  }

  return (
    <Dialog
      onOpenChange={close}
      title="Save your recovery codes"
      description="Each code works once, in place of your second factor. The codes are not shown again."
      locked
      footer={
        <Button size="lg" variant="primary" onClick={close}>
          {isWarned && !isSaved ? 'Close without saving' : 'I have saved them'}
        </Button>
      }
    >
      <ol
        aria-label="Recovery codes"
        className="grid grid-cols-2 gap-x-6 gap-y-2 rounded-control border border-line-1 bg-ink-0 p-4 text-data"
      >
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button
          onClick={() => {
            setHasFailed(false)
            void copy(text).then((isDone) => (isDone ? setIsSaved(true) : setHasFailed(true)))
          }}
        >
          <Icon aria-hidden size={16} />
          {feedback ?? 'Copy all'}
        </Button>
        <Button
          onClick={() => {
            saveFile('tocsin-recovery-codes.txt', `${text}\n`)
            setIsSaved(true)
          }}
        >
          <Download aria-hidden size={16} />
          Download
        </Button>
      </div>
      <p role="alert" className="mt-3 text-base text-medium">
        {!isSaved &&
          (hasFailed
            ? 'This browser did not copy the codes. Download them, or write them down.'
            : isWarned &&
              'You have neither copied nor downloaded the codes. Without them, a lost device locks you out.')}
      </p>
    </Dialog>
  )
}
