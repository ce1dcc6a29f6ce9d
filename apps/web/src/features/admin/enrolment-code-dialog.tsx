import type { EnrolmentCode } from '@tocsin/protocol'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Time } from '../../ui/time.tsx'

/**
 * Shows the enrolment code, which cannot be shown again, to the owner or admin who issued it. They
 * give it to the account holder in person or by phone, never by email.
 */
export function EnrolmentCodeDialog({ issued, onClose }: { issued: EnrolmentCode; onClose: () => void }) {
  return (
    <Dialog
      onOpenChange={onClose}
      title="Enrolment code"
      description="The account needs this code once, to set up a second factor. Give the code in person or by phone, never by email, so that access to the mailbox alone cannot set up the second factor. The code is not shown again."
      locked
      footer={
        <Button size="lg" variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <p className="flex flex-wrap items-center justify-between gap-3 rounded-control border border-line-1 bg-ink-0 p-4 text-data">
        <code>{issued.code}</code>
        <CopyButton text={issued.code} label="Copy the code" />
      </p>
      <p className="mt-3 text-base text-2">
        Valid until <Time at={issued.expiresAt} className="text-data" />.
      </p>
    </Dialog>
  )
}
