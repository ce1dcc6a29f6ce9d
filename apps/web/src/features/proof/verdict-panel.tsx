import { priority } from '@tocsin/protocol'
import { type ReactNode, useEffect, useRef } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { Seal } from '../../ui/identity/seal.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Time } from '../../ui/time.tsx'
import type { HeldAlert } from './claim.ts'
import { describeVerdict, type Verdict } from './verdict.ts'
import type { Checked } from './verify-claim.ts'

const tones: Record<Verdict['tone'], string> = { seal: 'text-seal', critical: 'text-critical', plain: 'text-1' }
const ghostLeaf = `0x${'9c41f07a'.repeat(8)}`
const sealSize = 168

type VerdictPanelProps = {
  checked: Checked | null
  /** Why nothing could be checked. */
  failure: string | null
  isBusy: boolean
  /** The form has changed since. */
  isEdited: boolean
  className?: string
}

/** What came of the check: the seal, the verdict and the alert's figures. */
export function VerdictPanel({ checked, failure, isBusy, isEdited, className }: VerdictPanelProps) {
  const ref = useRef<HTMLDivElement>(null)
  const hasOutcome = checked !== null || failure !== null
  useEffect(() => {
    if (hasOutcome && !isBusy) ref.current?.scrollIntoView({ block: 'nearest' })
  }, [hasOutcome, isBusy])
  return (
    <div ref={ref} role="status" className={classNames('scroll-mt-24', className)}>
      <Panel flush className="h-full min-h-58 justify-center">
        <div className="flex min-h-58 items-center gap-11 p-8 phone:flex-col phone:items-start phone:gap-5 phone:p-4">
          {checked && !isBusy ? (
            <Outcome checked={checked} isEdited={isEdited} />
          ) : (
            <Ghost word={failure && !isBusy ? 'Cannot check now' : isBusy ? 'Checking…' : 'Unverified'}>
              {failure && !isBusy ? failure : 'Paste an alert, or choose one of yours: its verdict will stand here.'}
            </Ghost>
          )}
        </div>
      </Panel>
    </div>
  )
}

function Ghost({ word, children }: { word: string; children: ReactNode }) {
  return (
    <>
      <Seal leafHash={ghostLeaf} state="unsigned" size={sealSize} className="opacity-60 phone:self-center" />
      <div>
        <h2 className="text-verdict text-2">{word}</h2>
        <p className="mt-2 text-lead text-2">{children}</p>
      </div>
    </>
  )
}

function Outcome({ checked, isEdited }: { checked: Checked; isEdited: boolean }) {
  const { alert, answer } = checked
  const { word, tone, seal, sentence } = describeVerdict(checked)
  const claimedAt = answer.chainTime ?? alert.anchoredAt ?? null
  return (
    <>
      <Seal leafHash={alert.leafHash} root={alert.root} state={seal} size={sealSize} className="phone:self-center" />
      <div className="min-w-0 flex-1 phone:w-full">
        <Subject alert={alert} />
        <h2 className={classNames('mt-1 text-verdict', tones[tone])}>{word}</h2>
        <p className="mt-1 text-lead">{sentence}</p>
        <dl className="mt-5 grid grid-cols-2 gap-x-6 gap-y-4 xl:flex xl:gap-0 xl:divide-x xl:divide-line-1 xl:*:px-8 xl:*:first:pl-0">
          <Fact label="Issued">
            <Moment at={alert.createdAt} />
          </Fact>
          <Fact label={answer.chainTime === null && claimedAt !== null ? 'Anchor claimed' : 'In block'}>
            {claimedAt === null ? 'not yet' : <Moment at={claimedAt} />}
          </Fact>
          <Fact label="Confidence">{percent(alert.confidence)}</Fact>
          <Fact label="Regime">
            <span className="font-sans text-base">{alert.regime || '—'}</span>
          </Fact>
        </dl>
        {isEdited && (
          <p className="mt-4 text-hint text-2">The form has changed since: this is of what it held before.</p>
        )}
      </div>
    </>
  )
}

/** Which alert it says it is. Any field may hold anything. */
function Subject({ alert }: { alert: HeldAlert }) {
  const known = priority.safeParse(alert.priority)
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-base wrap-anywhere">
      {known.success ? <PriorityGlyph priority={known.data} word className="font-medium" /> : alert.priority}
      <span className="font-semibold">{alert.asset}</span>
      <span className="text-2">
        {alert.anomalyType !== '' && `${alert.anomalyType} · `}#{alert.logIndex.toLocaleString('en-US')}
      </span>
    </p>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-label whitespace-nowrap text-2">{label}</dt>
      <dd className="mt-1 text-data wrap-anywhere">{children}</dd>
    </div>
  )
}

function Moment({ at }: { at: string }) {
  return Number.isNaN(Date.parse(at)) ? at : <Time at={at} />
}

function percent(confidence: number): string {
  return `${confidence.toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 20 })}%`
}
