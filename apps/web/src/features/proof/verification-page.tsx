import { useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { priorities } from '@tocsin/protocol/names'
import { Suspense, useEffect, useRef, useState } from 'react'
import { queries } from '../../api/queries.ts'
import { toSearchText } from '../../browser/search-text.ts'
import { paths } from '../../paths.ts'
import { classNames } from '../../ui/class-names.ts'
import { CommandLine } from '../../ui/command-line.tsx'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { Panel } from '../../ui/panel.tsx'
import { createClaimDraft } from './alert-choice.ts'
import { ChecksPanel } from './checks-panel.tsx'
import type { AlertCopy, ParsedText } from './claim.ts'
import { isComplete } from './complete-alert.ts'
import { DownloadProof } from './download-proof.tsx'
import { LadderPanel } from './ladder-panel.tsx'
import { loadClaimReader } from './load-claim-reader.ts'
import { ReceiptPanel } from './receipt-panel.tsx'
import { TrustSection } from './trust-section.tsx'
import { useChecks } from './use-checks.ts'
import { useChosenAlert } from './use-chosen-alert.ts'
import { useTrust } from './use-trust.ts'
import { VerdictPanel } from './verdict-panel.tsx'
import { createProofFileName, createVerifyCommand } from './verify-command.ts'
import { VerifyForm } from './verify-form.tsx'

const loadAnomaly = async () => (await import('../alert/anomaly-figure.tsx')).AnomalyPanel
const loadPrediction = async () => (await import('./checked-prediction.tsx')).CheckedPrediction
const AnomalyPanel = lazyLoad(loadAnomaly)
const CheckedPrediction = lazyLoad(loadPrediction)
const ChooseAlertDialog = lazyLoad(async () => (await import('./choose-alert-dialog.tsx')).ChooseAlertDialog)

/**
 * A form to verify a copy of an alert, and its result. The URL's `alert` parameter preselects an
 * alert.
 */
export function VerificationPage() {
  const router = useRouter()
  const { alert: linkedId }: { alert?: unknown } = useSearch({ strict: false })
  const chosenId = toSearchText(linkedId)
  const { chosen, isPending } = useChosenAlert(chosenId)
  const { data: config } = useQuery(queries.config)
  const choice = useTrust(config)
  const { checked, busy, failure, runs, check, reset } = useChecks(config, choice)
  const [isChoosing, setIsChoosing] = useState(false)
  const [isEdited, setIsEdited] = useState(false)
  const [text, setText] = useState('')
  // The code of checks is loaded after the first paint, so that later checks fetch nothing from
  // this site.
  useEffect(() => {
    Promise.all([loadClaimReader(), loadAnomaly(), loadPrediction()]).catch(reportError)
  }, [])
  /** Id and transaction of the linked alert that was checked last. */
  const lastCheckedKey = useRef<string | null>(null)

  // If the URL names an alert, check it without a click, and again when it is anchored. Without a
  // chain node, the server runs the check.
  const chosenKey = chosen && `${chosen.id} ${chosen.avalancheTx}`
  useEffect(() => {
    if (!chosen || !choice || lastCheckedKey.current === chosenKey || (isEdited && lastCheckedKey.current !== null))
      return
    lastCheckedKey.current = chosenKey
    check(choice.rpcUrl === '' ? 'server' : 'browser', createClaimDraft(chosen))
  }, [chosen, chosenKey, choice, check, isEdited])
  const isOpening = isPending || (chosen !== null && lastCheckedKey.current === null)

  /** Resets the page, optionally with another alert. */
  function openAlert(id: string | null) {
    reset()
    lastCheckedKey.current = null
    setIsEdited(false)
    setIsChoosing(false)
    router.history.push(id === null ? paths.verification : `${paths.verification}?alert=${encodeURIComponent(id)}`)
  }

  const shownAlert = checked && checked.findings.verdict !== 'failed' ? toShownAlert(checked.alert) : null
  const hasOutcome = checked !== null || failure !== null
  const isQuerying = checked?.checker.kind === 'browser' && checked.checker.isRunning
  return (
    <>
      <h1 className="text-h1">Verification</h1>
      <p className="mt-1 mb-6 text-body text-2">
        Six checks against the published keys and the chain, by the server or by this browser alone.
      </p>
      {/* Two columns from 1280 px on. Narrower screens have one column, with the result first. */}
      <div className="flex flex-col gap-4 xl:grid xl:grid-cols-[368px_minmax(0,1fr)]">
        <div className="flex min-w-0 flex-col gap-4 max-xl:contents">
          <div className={classNames('flex min-w-0 flex-col gap-4', hasOutcome && 'max-xl:order-1')}>
            <VerifyForm
              key={chosen?.id ?? 'blank'}
              chosen={chosen}
              isUnknown={chosenId !== undefined && !isPending && chosen === null}
              busy={busy}
              onCheck={(by, claim) => {
                setIsEdited(false)
                check(by, claim)
              }}
              onAlertTextChange={setText}
              onEdit={() => setIsEdited(true)}
              onChoose={() => setIsChoosing(true)}
              onClear={() => openAlert(null)}
            />
            <CheckElsewhere text={text} />
          </div>
          {choice && <ReceiptPanel choice={choice} className="max-xl:order-2 xl:flex-1" />}
        </div>
        <div className="grid min-w-0 gap-4 md:grid-cols-[minmax(0,432fr)_minmax(0,336fr)] xl:grid-rows-[auto_auto_1fr]">
          <VerdictPanel
            checked={checked}
            failure={failure}
            busy={busy ?? (isOpening ? 'browser' : null)}
            isEdited={isEdited}
            className="md:col-span-2"
          />
          <LadderPanel checked={checked} run={runs} className="phone:order-1" />
          <ChecksPanel
            steps={checked?.findings.steps ?? null}
            failedStep={checked?.findings.failedStep ?? null}
            isQuerying={isQuerying}
          />
          <Suspense>
            {checked && <CheckedPrediction checked={checked} className="phone:order-1 md:col-span-2" />}
            {shownAlert && <AnomalyPanel alert={shownAlert} className="phone:order-1 md:col-span-2" />}
          </Suspense>
          {config && choice && (
            <Panel title="Trust settings of this browser" className="phone:order-1 md:col-span-2">
              <TrustSection choice={choice} config={config} isWide />
            </Panel>
          )}
        </div>
      </div>
      {isChoosing && (
        <Suspense>
          <ChooseAlertDialog onClose={() => setIsChoosing(false)} onChoose={openAlert} />
        </Suspense>
      )}
    </>
  )
}

/** Null if the pasted alert's priority is invalid. */
function toShownAlert(alert: AlertCopy) {
  const knownPriority = priorities.find((priority) => priority === alert.priority)
  return knownPriority ? { ...alert, priority: knownPriority, signalHash: alert.signalHash ?? null } : null
}

/** How to verify the alert without this site: its proof file and a command. */
function CheckElsewhere({ text }: { text: string }) {
  const { data: config } = useQuery(queries.config)
  const parsedText = useParsedText(text)
  // Offer no proof file for an incomplete alert, because it could not be verified.
  const alert = parsedText && isComplete(parsedText.alert) ? parsedText.alert : null
  const isFile = parsedText?.bundle != null
  return (
    <Panel title="Check it without us">
      <CommandLine command={createVerifyCommand(alert ? createProofFileName(alert.logIndex) : 'proof.json', config)} />
      <div className="mt-3 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
        {alert && !isFile && <DownloadProof alert={alert} />}
        <span className="min-w-40 flex-1 text-hint text-2">
          {alert
            ? 'Run this command in a checkout of the source code. It needs the proof file and the chain, but not this site. Compare the addresses, which are from this site, with a source that you trust.'
            : 'When the form contains an alert, you can download its proof file here.'}
        </span>
      </div>
    </Panel>
  )
}

/** The alert or proof file of the form; null if the text is neither. */
function useParsedText(text: string): ParsedText | null {
  const [parsedText, setParsedText] = useState<ParsedText | null>(null)
  const isEmpty = text.trim() === ''
  useEffect(() => {
    if (isEmpty) return
    let isCurrent = true
    loadClaimReader().then(({ readAlertText }) => {
      const textResult = readAlertText(text)
      if (isCurrent) setParsedText('alert' in textResult ? textResult : null)
    }, reportError)
    return () => {
      isCurrent = false
    }
  }, [text, isEmpty])
  return isEmpty ? null : parsedText
}
