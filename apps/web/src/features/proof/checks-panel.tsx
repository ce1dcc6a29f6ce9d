import { Check, CircleHelp, Clock, LoaderCircle, type LucideIcon, Minus, X } from 'lucide-react'
import { classNames } from '../../ui/class-names.ts'
import { formatFullDateTime } from '../../ui/format-time.ts'
import { Panel } from '../../ui/panel.tsx'
import { useTimeStyle } from '../../ui/time-style.ts'
import { type Step, stepIds, stepNames } from './step-names.ts'
import { countSteps } from './verdict.ts'

type CheckDisplay = { icon: LucideIcon; word: string; number: string; state: string; words: string; row?: string }

const neutralClasses = { number: 'border-line-2 text-2', state: 'text-2', words: 'text-2' }
const stepDisplays: Record<Step['status'], CheckDisplay> = {
  passed: { icon: Check, word: 'Verified', number: 'border-seal text-1', state: 'text-seal', words: 'text-1' },
  failed: {
    icon: X,
    word: 'Failed',
    number: 'border-critical bg-critical/14 text-1',
    state: 'text-1 [&_svg]:text-critical',
    words: 'text-1',
    row: 'bg-critical/14',
  },
  skipped: { icon: Minus, word: 'Not run', ...neutralClasses },
  pending: { icon: Clock, word: 'Not yet anchored', ...neutralClasses },
  unavailable: { icon: CircleHelp, word: 'Cannot check', ...neutralClasses },
  unproven: { icon: CircleHelp, word: 'Not proven', ...neutralClasses },
}

const unrunSteps: Step[] = stepIds.map((id) => ({ id, status: 'skipped', reason: '' }))

const stepQuestions: Record<Step['id'], string> = {
  payload: 'Does the content match the log entry?',
  signature: 'Did the published key sign it?',
  merklePath: 'Does its path lead to the root?',
  root: 'Is that root on the chain?',
  transaction: 'Did the transaction succeed?',
  blockTime: 'Is the block’s time after the alert’s?',
}

const queryingDisplay: CheckDisplay = {
  icon: LoaderCircle,
  word: 'Querying…',
  ...neutralClasses,
  state: 'text-2 [&_svg]:spin',
}

type ChecksPanelProps = {
  steps: Step[] | null
  failedStep: number | null
  /** True while the chain is being queried. */
  isQuerying: boolean
}

/**
 * The six checks with their results. Before the first verification, describes what each one checks.
 */
export function ChecksPanel({ steps, failedStep, isQuerying }: ChecksPanelProps) {
  return (
    <Panel title="Six checks" actions={<span className="text-base text-2">{steps && countSteps(steps)}</span>} flush>
      <ol className="flex h-full flex-col divide-y divide-line-1">
        {(steps ?? unrunSteps).map((step, index) => (
          <Row
            key={step.id}
            step={step}
            look={isQuerying && step.status === 'unavailable' ? queryingDisplay : stepDisplays[step.status]}
            number={index + 1}
            words={isQuerying && step.status === 'unavailable' ? stepQuestions[step.id] : formatStep(step, failedStep)}
          />
        ))}
      </ol>
    </Panel>
  )
}

function formatStep(step: Step, failedStep: number | null): string {
  if (step.status !== 'skipped') return step.reason
  return failedStep === null ? stepQuestions[step.id] : `Needs step ${failedStep} first`
}

/**
 * Matches the times in the reasons of the checks. Every verifier writes the same reasons, with ISO
 * times, so the page formats the times itself.
 */
const isoTime = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

function Row({ step, look, number, words }: { step: Step; look: CheckDisplay; number: number; words: string }) {
  const Icon = look.icon
  const style = useTimeStyle()
  return (
    <li className={classNames('flex min-h-20 shrink-0 grow gap-3 px-5 py-3.5 phone:px-4', look.row)}>
      <span
        aria-hidden
        className={classNames('flex size-6 shrink-0 items-center justify-center border text-data', look.number)}
      >
        {number}
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center justify-between gap-x-3">
          <span className={classNames('text-base font-semibold', look.words)}>{stepNames[step.id]}</span>
          <span className={classNames('flex items-center gap-1.5 text-base whitespace-nowrap', look.state)}>
            <Icon aria-hidden size={16} strokeWidth={2.25} />
            {look.word}
          </span>
        </p>
        <p className="mt-1 text-hint wrap-anywhere text-2">
          {words.replace(isoTime, (at) => formatFullDateTime(Date.parse(at), style))}
        </p>
      </div>
    </li>
  )
}
