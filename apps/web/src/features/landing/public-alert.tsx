import type { Alert, SignalSeries } from '@tocsin/protocol'
import { useEffect, useState } from 'react'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/count.ts'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { Seal } from '../../ui/identity/seal.tsx'
import { Sparkline } from '../../ui/identity/sparkline.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SiteLink } from '../../ui/site-link.tsx'
import { Time } from '../../ui/time.tsx'
import { formatConfidence } from '../alert/alert-words.ts'
import { changeOneCharacter, chooseAlert, describeCheck } from './public-check.ts'
import { PublicChecks } from './public-checks.tsx'
import { readSeries } from './read-public.ts'
import { usePublic } from './use-public.ts'
import { usePublicCheck } from './use-public-check.ts'

/**
 * A public alert of the log with a button that runs its six checks. Reserves space while loading.
 */
export function PublicAlert() {
  const read = usePublic('publicAlerts')
  const alert = read.data && chooseAlert(read.data)
  return (
    <Panel
      title="Public alert"
      right={
        alert && (
          <span className="text-data text-2">
            #{formatCount(alert.logIndex)} · <Time at={alert.createdAt} show="date" />
            <span className="max-[360px]:hidden"> UTC</span>
          </span>
        )
      }
      className="shadow-(--shadow-float)"
      flush
    >
      <div className="min-h-137 phone:min-h-167 max-[340px]:min-h-183">
        {alert ? (
          <CheckableAlert original={alert} />
        ) : (
          <p className="p-5 text-body text-2 phone:p-4">
            {read.isError && 'The log can’t be reached right now.'}
            {read.data && 'No alert is public yet: each becomes so some time after it was issued.'}
          </p>
        )}
      </div>
    </Panel>
  )
}

function CheckableAlert({ original }: { original: Alert }) {
  const [changed, setChanged] = useState<{ alert: Alert; at: number } | null>(null)
  const { steps, answer, isBusy, isError, check } = usePublicCheck()
  const copy = changed?.alert ?? original
  const verdict = describeCheck(copy, answer)

  function verify(next: { alert: Alert; at: number } | null) {
    setChanged(next)
    void check(next?.alert ?? original)
  }

  return (
    <>
      <div className="border-b border-line-1 p-5 phone:p-4">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-body">
          <PriorityGlyph priority={copy.priority} word />
          <span className="min-w-0 text-lead font-semibold wrap-anywhere">{copy.asset}</span>
          <span className="min-w-0 text-2 wrap-anywhere phone:order-last phone:basis-full">{copy.anomalyType}</span>
          <span className="ml-auto text-data">{formatConfidence(copy.confidence)}</span>
        </div>
        <p className="mt-2 line-clamp-3 h-15 text-body wrap-anywhere">
          <Summary text={copy.summary} changedAt={changed?.at ?? null} />
        </p>
        {original.signalHash !== null && <PublicSeries alert={original} />}
      </div>
      <div className="flex min-h-32 items-center gap-6 px-5 py-4 phone:gap-4 phone:px-4">
        <Seal leafHash={copy.leafHash} root={copy.root} state={verdict.seal} size={96} />
        <div aria-live="polite" className="min-w-0">
          <p className={`text-h1 wrap-anywhere ${verdict.tone}`}>{isBusy ? 'Checking…' : verdict.word}</p>
          <p className="mt-1 min-h-10 text-body">
            {isError ? 'The server could not check it. Please try again in a moment.' : !isBusy && verdict.sentence}
          </p>
        </div>
      </div>
      <PublicChecks steps={steps} />
      <div className="flex flex-wrap gap-2 px-5 pt-4 *:grow phone:px-4">
        <Button size="lg" busy={isBusy} onClick={() => verify(null)} className="sm:basis-2/5">
          {answer && !changed ? 'Verify again' : 'Verify'}
        </Button>
        <Button size="lg" variant="ghost" busy={isBusy} onClick={() => verify(changeOneCharacter(original))}>
          Change one character
        </Button>
      </div>
      <p className="px-5 pt-3 pb-5 text-hint text-2 phone:px-4">
        Checked by this site’s server. To rely on nobody,{' '}
        <SiteLink href={paths.transparency} className="link underline">
          check the log in your browser
        </SiteLink>{' '}
        against a node of your choice.
      </p>
    </>
  )
}

/** Chart of the values that the model measured. Reserves space while loading. */
function PublicSeries({ alert: { id, priority } }: { alert: Alert }) {
  const [series, setSeries] = useState<SignalSeries | null>(null)
  useEffect(() => {
    const abort = new AbortController()
    // Optional: the alert's text has the same information.
    readSeries(id, abort.signal).then(setSeries, () => {})
    return () => abort.abort()
  }, [id])
  return (
    <div className="mt-3 h-14">
      {series && <Sparkline series={series} priority={priority} className="h-full animate-fade" />}
    </div>
  )
}

function Summary({ text, changedAt }: { text: string; changedAt: number | null }) {
  if (changedAt === null) return text
  return (
    <>
      {text.slice(0, changedAt)}
      <mark className="bg-critical/24 text-1 underline decoration-critical decoration-2">{text.charAt(changedAt)}</mark>
      {text.slice(changedAt + 1)}
    </>
  )
}
