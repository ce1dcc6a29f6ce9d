import type { AdminAlert } from '@tocsin/protocol'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { logNumber } from './alert-number.ts'
import { CorrectDialog } from './correct-dialog.tsx'
import { canBeRevised } from './corrected-alert.ts'
import { RetractDialog } from './retract-dialog.tsx'

/** The Correct… and Retract… buttons. Hidden for alerts that can't be revised. */
export function ReviseButtons({ alert }: { alert: AdminAlert }) {
  const [open, setOpen] = useState<'correct' | 'retract' | null>(null)
  const close = () => setOpen(null)
  if (!canBeRevised(alert)) return null
  const number = logNumber(alert.logIndex)
  return (
    <>
      <Button size="sm" variant="ghost" aria-label={`Correct ${number}…`} onClick={() => setOpen('correct')}>
        Correct…
      </Button>
      <Button size="sm" variant="ghost" aria-label={`Retract ${number}…`} onClick={() => setOpen('retract')}>
        Retract…
      </Button>
      {open === 'correct' && <CorrectDialog open alert={alert} onOpenChange={close} />}
      {open === 'retract' && <RetractDialog open alert={alert} onOpenChange={close} />}
    </>
  )
}
