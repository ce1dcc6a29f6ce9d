import type { ReadableAlert } from '@tocsin/protocol'
import { Lock, Search } from 'lucide-react'
import { useState } from 'react'
import { getErrorMessage } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/count.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { addNoBreakSpaces } from '../../ui/keep-units.ts'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Time } from '../../ui/time.tsx'
import { isLocked } from '../alert/alert-texts.ts'
import { searchChoices } from './alert-choice.ts'
import { useChoices } from './use-choices.ts'

const choiceLimit = 100

type ChooseAlertDialogProps = { onClose: () => void; onChoose: (id: string) => void }

export function ChooseAlertDialog({ onClose, onChoose }: ChooseAlertDialogProps) {
  return (
    <Dialog
      onOpenChange={onClose}
      title="Choose an alert"
      description="Fills the form with the alert’s JSON, signature and transaction."
      size="lg"
    >
      <Choices onChoose={onChoose} />
    </Dialog>
  )
}

function Choices({ onChoose }: { onChoose: (id: string) => void }) {
  const [search, setSearch] = useState('')
  const { choices, isPending, error, refetch } = useChoices()
  if (isPending) return <SkeletonRows rows={5} label="Loading alerts" />
  if (choices.length === 0 && error) {
    return (
      <div role="alert" className="flex flex-wrap items-center gap-3 text-base">
        {getErrorMessage(error, 'Failed to fetch alerts')}
        <Button onClick={refetch}>Try again</Button>
      </div>
    )
  }
  if (choices.length === 0) return <EmptyState title="No alerts yet">Alerts that you can check appear here.</EmptyState>
  const foundChoices = searchChoices(choices, search)
  return (
    <>
      <TextField
        hideLabel
        label="Search alerts"
        placeholder="Search"
        icon={Search}
        value={search}
        onChange={({ target }) => setSearch(target.value)}
      />
      <ul className="relative mt-3 max-h-[min(24rem,50dvh)] divide-y divide-line-1 overflow-y-auto border border-line-1">
        {foundChoices.slice(0, choiceLimit).map((alert) => (
          <Choice key={alert.id} alert={alert} onChoose={onChoose} />
        ))}
      </ul>
      <p role="status" className="mt-2 text-hint text-2">
        {formatMatchCount(foundChoices.length)}
      </p>
    </>
  )
}

function formatMatchCount(foundCount: number): string {
  if (foundCount === 0) return 'No alerts match. Try fewer words.'
  return foundCount > choiceLimit ? `The newest ${choiceLimit} of ${formatCount(foundCount)}` : `${foundCount} in total`
}

function Choice({ alert, onChoose }: { alert: ReadableAlert; onChoose: (id: string) => void }) {
  return (
    <li>
      <button
        type="button"
        disabled={isLocked(alert)}
        onClick={() => onChoose(alert.id)}
        className="focus-inset flex min-h-12 w-full items-center gap-3 px-3 py-1.5 text-left text-base transition-[background-color] enabled:hover:bg-ink-2 disabled:cursor-not-allowed disabled:text-2"
      >
        <PriorityGlyph priority={alert.priority} />
        {isLocked(alert) ? (
          <span className="flex flex-1 items-center gap-2">
            <Lock aria-hidden size={16} strokeWidth={2.25} />
            Locked: needs a plan
          </span>
        ) : (
          <span className="min-w-0 flex-1">
            <span className="flex items-baseline gap-2">
              <span className="font-semibold wrap-anywhere">{alert.asset}</span>
              <span className="text-data leading-5 text-2">#{formatCount(alert.logIndex)}</span>
            </span>
            <span className="line-clamp-1 text-hint wrap-anywhere text-2">{addNoBreakSpaces(alert.summary)}</span>
          </span>
        )}
        <Time at={alert.createdAt} className="text-data text-2" />
      </button>
    </li>
  )
}
