import type { Alert, SignalSeries, VerifyAlertResponse } from '@tocsin/protocol'
import { Check, Minus, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/count.ts'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { Seal } from '../../ui/identity/seal.tsx'
import { Sparkline } from '../../ui/identity/sparkline.tsx'
import { addNoBreakSpaces } from '../../ui/keep-units.ts'
import { Panel } from '../../ui/panel.tsx'
import { SiteLink } from '../../ui/site-link.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { formatConfidence } from '../alert/alert-texts.ts'
import { formatAnomalyType, isSimulated } from '../prediction/prediction-names.ts'
import { type Step, stepIds, stepNames } from '../proof/step-names.ts'
import { changeOneCharacter, chooseAlert, describeCheck, toCheckRequest } from './public-check.ts'
import { readSeries, verifyPublic } from './read-public.ts'
import { usePublic } from './use-public.ts'

/**
 * Shows a public alert of the log, with a button that runs six checks on it. Reserves space while
 * loading.
 */
export function PublicAlert() {
  const publicAlertsState = usePublic('publicAlerts')
  const alert = publicAlertsState.data && chooseAlert(publicAlertsState.data)
  return (
    <Panel
      title="Public alert"
      // Hidden on phones, where the text would wrap and move the panel. On phones, the alert names
      // the market instead.
      detail={alert && isSimulated(alert) ? <span className="phone:hidden">Simulated market</span> : undefined}
      actions={
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
      {alert || (publicAlertsState.data === null && !publicAlertsState.isError) ? (
        <div className="min-h-137 phone:min-h-167 max-[340px]:min-h-183">
          {alert ? <CheckableAlert original={alert} /> : <AlertSkeleton />}
        </div>
      ) : (
        <p className="p-5 text-body text-2 phone:p-4">
          {publicAlertsState.isError && 'The log can’t be reached right now.'}
          {publicAlertsState.data && 'No alert is public yet. Alerts become public some time after they are issued.'}
        </p>
      )}
    </Panel>
  )
}

/** Placeholder with the layout of the panel. */
function AlertSkeleton() {
  return (
    <div role="status" aria-label="Loading the newest public alert" className="*:px-5 phone:*:px-4">
      <div className="flex h-60 flex-col gap-4 border-b border-line-1 py-5">
        <Skeleton className="h-4 w-1/2" />
        <p aria-hidden className="animate-late text-body text-2">
          Loading the newest public alert…
        </p>
        <Skeleton className="mt-auto h-14" />
      </div>
      <div className="flex h-32 items-center gap-6">
        <Skeleton className="size-24 shrink-0 rounded-full" />
        <Skeleton className="h-8 w-1/2" />
      </div>
      <Skeleton className="mx-5 h-24 phone:mx-4 phone:h-48" />
    </div>
  )
}

function CheckableAlert({ original }: { original: Alert }) {
  const [changedAlert, setChangedAlert] = useState<{ alert: Alert; at: number } | null>(null)
  const { steps, response, isBusy, isError, check } = usePublicCheck()
  const shownAlert = changedAlert?.alert ?? original
  const verdict = describeCheck(shownAlert, response)

  function verify(next: { alert: Alert; at: number } | null) {
    setChangedAlert(next)
    void check(next?.alert ?? original)
  }

  return (
    <>
      <div className="border-b border-line-1 p-5 phone:p-4">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-body">
          <PriorityGlyph priority={shownAlert.priority} word />
          <span className="min-w-0 text-lead font-semibold wrap-anywhere">{shownAlert.asset}</span>
          <span className="min-w-0 text-2 wrap-anywhere phone:order-last phone:basis-full">
            {formatAnomalyType(shownAlert)}
            {isSimulated(shownAlert) && <span className="md:hidden"> · Simulated market</span>}
          </span>
          <span className="ml-auto">
            <span className="text-hint text-2">Confidence</span>{' '}
            <span className="text-data">{formatConfidence(shownAlert.confidence)}</span>
          </span>
        </div>
        <p className="mt-2 line-clamp-3 h-15 text-body wrap-anywhere">
          <Summary text={addNoBreakSpaces(shownAlert.summary)} changedAt={changedAlert?.at ?? null} />
        </p>
        {original.signalHash !== null && <PublicSeries alert={original} />}
      </div>
      <div className="flex min-h-32 items-center gap-6 px-5 py-4 phone:gap-4 phone:px-4">
        <Seal leafHash={shownAlert.leafHash} root={shownAlert.root} state={verdict.seal} size={96} />
        <div aria-live="polite" className="min-w-0">
          <p className={`text-h1 wrap-anywhere ${verdict.tone}`}>{isBusy ? 'Checking…' : verdict.word}</p>
          <p className="mt-1 min-h-10 text-body">
            {isError ? 'The server could not check the alert. Please try again.' : !isBusy && verdict.sentence}
          </p>
        </div>
      </div>
      <PublicChecks steps={steps} />
      <div className="flex flex-wrap gap-2 px-5 pt-4 *:grow phone:px-4">
        <Button size="lg" busy={isBusy} onClick={() => verify(null)} className="sm:basis-2/5">
          {response && !changedAlert ? 'Verify again' : 'Verify'}
        </Button>
        <Button size="lg" variant="ghost" busy={isBusy} onClick={() => verify(changeOneCharacter(original))}>
          Change one character
        </Button>
      </div>
      <p className="px-5 pt-3 pb-5 text-hint text-2 phone:px-4">
        “Verify” asks this site’s server. To check without trusting it,{' '}
        <SiteLink href={paths.transparency} className="link underline">
          verify the log in your browser
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
    // Ignore errors: the chart is optional, because the text of the alert has the same information.
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

const stepStyles: Record<Step['status'] | 'waiting', { icon: typeof Check; word: string; colour: string }> = {
  passed: { icon: Check, word: 'passed', colour: 'text-seal' },
  failed: { icon: X, word: 'failed', colour: 'text-critical' },
  skipped: { icon: Minus, word: 'not run', colour: 'text-3' },
  pending: { icon: Minus, word: 'to come', colour: 'text-3' },
  unavailable: { icon: Minus, word: 'no response', colour: 'text-3' },
  unproven: { icon: Minus, word: 'not proven', colour: 'text-3' },
  waiting: { icon: Minus, word: '', colour: 'text-3' },
}

/** Lists the six checks, with the results that have been revealed so far. */
function PublicChecks({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className="mx-5 grid grid-cols-2 gap-x-6 border-t border-line-1 phone:mx-4 phone:grid-cols-1">
      {stepIds.map((id) => {
        const { icon: Icon, word, colour } = stepStyles[steps.find((step) => step.id === id)?.status ?? 'waiting']
        return (
          <li key={id} className="flex min-h-8 items-center gap-3 border-b border-line-1 py-1 text-base">
            <Icon aria-hidden size={16} strokeWidth={2.25} className={`shrink-0 ${colour}`} />
            <span className="min-w-0 wrap-anywhere">{stepNames[id]}</span>
            <span className="ml-auto text-data whitespace-nowrap text-2">{word}</span>
          </li>
        )
      })}
    </ol>
  )
}

const stepMs = 90

/** Verifies a copy of an alert and reveals the steps of the result one by one. */
function usePublicCheck() {
  const [response, setResponse] = useState<VerifyAlertResponse | null>(null)
  const [shownIndex, setShownIndex] = useState(0)
  const [isLoading, setIsLoading] = useState(false)
  const [isError, setIsError] = useState(false)
  const isRevealing = response !== null && shownIndex < stepIds.length

  useEffect(() => {
    if (!isRevealing) return
    const timer = setTimeout(() => setShownIndex((count) => count + 1), stepMs)
    return () => clearTimeout(timer)
  })

  async function check(alert: Alert) {
    setIsLoading(true)
    setIsError(false)
    setResponse(null)
    try {
      const checkResponse = await verifyPublic(toCheckRequest(alert))
      setShownIndex(matchMedia('(prefers-reduced-motion: reduce)').matches ? stepIds.length : 0)
      setResponse(checkResponse)
    } catch {
      setIsError(true)
    }
    setIsLoading(false)
  }

  return {
    /** The steps revealed so far. */
    steps: response?.steps.slice(0, shownIndex) ?? [],
    /** The result; null until all steps are revealed. */
    response: isRevealing ? null : response,
    isBusy: isLoading || isRevealing,
    isError,
    check,
  }
}
