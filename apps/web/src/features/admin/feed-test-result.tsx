import type { FeedConfig, RequestBody, ResponseOf } from '@tocsin/protocol'
import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import { formatCount } from '../../ui/count.ts'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { addNoBreakSpaces } from '../../ui/keep-units.ts'
import { Time } from '../../ui/time.tsx'
import { formatConfidence } from '../alert/alert-texts.ts'

type FeedTestResultProps = {
  config: FeedConfig
  /** The request of the last test. If it has no endpoint, the saved configuration was tested. */
  tested: RequestBody<'testFeed'> | undefined
  result: ResponseOf<'testFeed'> | undefined
  isTesting: boolean
}

/**
 * The result of the last test. Before the first test, shows why the feed is in the state `failed`.
 */
export function FeedTestResult({ config, tested, result, isTesting }: FeedTestResultProps) {
  if (isTesting) {
    return (
      <p role="status" className="text-base text-2">
        Connecting, then waiting for a signal. The test takes up to eight seconds…
      </p>
    )
  }
  if (!result) return config.state === 'failed' ? <RetriesExhausted reason={config.lastError} /> : null
  const { success, message, connectedAfterMs, firstSignal } = result
  const Icon = success ? CircleCheck : CircleX
  const typedEndpoint = tested?.externalEndpoint
  const endpoint = <span className="font-mono text-data wrap-anywhere">{typedEndpoint ?? config.externalEndpoint}</span>
  return (
    <section
      aria-label="Result of the test"
      className={`border border-l-2 border-line-1 bg-ink-0 p-4 ${success ? 'border-l-ok' : 'border-l-critical'}`}
    >
      <p className="flex items-start gap-2 text-base font-medium wrap-anywhere">
        <Icon
          aria-hidden
          size={16}
          strokeWidth={2.25}
          className={`mt-0.5 shrink-0 ${success ? 'text-ok' : 'text-critical'}`}
        />
        {message}
      </p>
      <p className="mt-1 pl-6 text-hint text-2">
        {typedEndpoint === undefined ? (
          <>Tested: {endpoint}, the saved endpoint.</>
        ) : (
          <>Tested: {endpoint}, not saved.</>
        )}
      </p>
      {connectedAfterMs !== undefined && (
        <p className="mt-1 pl-6 text-hint text-2">Connected after {formatCount(connectedAfterMs)} ms.</p>
      )}
      <p className="mt-1 pl-6 text-hint text-2">Test only: no alert was created and nothing was saved.</p>
      {firstSignal && <FirstSignal signal={firstSignal} />}
    </section>
  )
}

function FirstSignal({ signal }: { signal: NonNullable<ResponseOf<'testFeed'>['firstSignal']> }) {
  const { id, asset, anomalyType, confidence, priority, summary, observedAt } = signal
  return (
    <div className="mt-3 border-t border-line-1 pt-3 pl-6">
      <h3 className="text-label text-2">First signal</h3>
      <p className="mt-1 flex flex-wrap items-center gap-x-2 text-base">
        <PriorityGlyph priority={priority} word />
        <span className="font-semibold wrap-anywhere">{asset}</span>
        <span className="text-2 wrap-anywhere">{anomalyType}</span>
        <span className="text-data">{formatConfidence(confidence)}</span>
      </p>
      <p dir="auto" className="mt-1 text-base wrap-anywhere">
        {addNoBreakSpaces(summary)}
      </p>
      <p className="mt-1 text-data wrap-anywhere text-2">
        {id}, seen <Time at={observedAt} />
      </p>
    </div>
  )
}

function RetriesExhausted({ reason }: { reason: string | null }) {
  return (
    <p role="status" className="flex items-start gap-2 text-base">
      <TriangleAlert aria-hidden size={16} strokeWidth={2.25} className="mt-0.5 shrink-0 text-critical" />
      <span className="min-w-0 wrap-anywhere">
        {`The feed has stopped retrying${reason === null ? '' : `: ${reason}`}. Save or test the configuration to restart the feed.`}
      </span>
    </p>
  )
}
