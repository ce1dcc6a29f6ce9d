import { useQuery } from '@tanstack/react-query'
import type { Alert } from '@tocsin/protocol'
import { Check, Copy, ShieldCheck } from 'lucide-react'
import { Suspense } from 'react'
import { queries } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CommandLine } from '../../ui/command-line.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { HrefLink } from '../../ui/href-link.tsx'
import { LadderStrip } from '../../ui/identity/ladder-strip.tsx'
import { Seal } from '../../ui/identity/seal.tsx'
import { keepUnits } from '../../ui/keep-units.ts'
import { KeyValue, KeyValueList } from '../../ui/key-value.tsx'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { numberLocale } from '../../ui/locale.ts'
import { shortHash } from '../../ui/short-hex.ts'
import { Time } from '../../ui/time.tsx'
import { useCopied } from '../../ui/use-copied.ts'
import { formatConfidence, proofHrefOf, proofSentence, sealStateOf } from '../alert/alert-words.ts'
import { RelationNotes, supersededLook } from '../alert/relations.tsx'
import { ShareButton } from '../alert/share-button.tsx'
import { DownloadProof } from '../proof/download-proof.tsx'
import { proofFileName, verifyCommand } from '../proof/proof-bundle.ts'
import { rungsOf } from '../proof/rungs.ts'

const PredictionPanel = lazyLoad(async () => (await import('../prediction/prediction-panel.tsx')).PredictionPanel)
const PriceFigures = lazyLoad(async () => (await import('../market/price-figures.tsx')).PriceFigures)
const PredictionProgress = lazyLoad(async () => (await import('../market/prediction-progress.tsx')).PredictionProgress)
const AnomalyFigure = lazyLoad(async () => (await import('../alert/anomaly-figure.tsx')).AnomalyFigure)

/** All fields of an alert with its proof: the expanded part of a row. */
export function AlertDetail({ alert, id }: { alert: Alert; id: string }) {
  const { data: config } = useQuery(queries.config)
  return (
    <div id={id} className="animate-row border-t border-line-1 bg-ink-0 px-5 py-4 phone:px-4">
      <RelationNotes alert={alert} className="mb-3 max-w-[72ch]" />
      <p
        dir="auto"
        className={classNames('max-w-[72ch] text-body wrap-anywhere', alert.supersededBy && supersededLook)}
      >
        {keepUnits(alert.summary)}
      </p>
      <Suspense>
        <PriceFigures alert={alert} className="mt-4" />
      </Suspense>
      <Suspense>
        <AnomalyFigure alert={alert} className="mt-4 max-w-200" />
      </Suspense>
      {alert.prediction && (
        <Suspense>
          <PredictionPanel alert={alert} className="mt-4 max-w-200 border-t border-line-1 pt-4" />
          <PredictionProgress alert={alert} className="mt-3 ml-9" />
        </Suspense>
      )}
      <AlertProof alert={alert} className="mt-4" />
      <div className="mt-3 grid grid-cols-3 gap-x-10 max-lg:grid-cols-2 phone:grid-cols-1">
        <KeyValueList>
          <KeyValue label="Type" plain>
            {alert.anomalyType || '—'}
          </KeyValue>
          <KeyValue label="Regime" plain>
            {alert.regime || '—'}
          </KeyValue>
          <KeyValue label="Confidence">{formatConfidence(alert.confidence)}</KeyValue>
        </KeyValueList>
        <KeyValueList>
          <KeyValue label="Issued">
            <Time at={alert.createdAt} show="date" />
          </KeyValue>
          <KeyValue label="Anchored">
            {alert.anchoredAt === null ? 'Not yet anchored' : <Time at={alert.anchoredAt} show="date" />}
          </KeyValue>
          <KeyValue label="Log index">{alert.logIndex.toLocaleString(numberLocale)}</KeyValue>
        </KeyValueList>
        <KeyValueList>
          <Hash label="Leaf" value={alert.leafHash} />
          <Hash label="Root" value={alert.root} />
          <Hash label="Transaction" value={alert.avalancheTx} />
        </KeyValueList>
      </div>
      <div className="mt-4 flex flex-wrap items-center gap-2">
        <Button size="sm" asChild>
          <HrefLink href={proofHrefOf(alert.id)}>
            <ShieldCheck aria-hidden size={16} strokeWidth={2.25} />
            Check proof
          </HrefLink>
        </Button>
        <CopyAlert alert={alert} />
        <DownloadProof alert={alert} />
        <ShareButton alert={alert} />
        <CommandLine command={verifyCommand(proofFileName(alert.logIndex), config)} className="w-full" />
      </div>
    </div>
  )
}

function Hash({ label, value }: { label: string; value: string | null }) {
  return (
    <KeyValue label={label}>
      {value === null ? (
        'Not yet anchored'
      ) : (
        <span className="-my-1 inline-flex items-center gap-1 whitespace-nowrap" title={value}>
          {shortHash(value, 6)}
          <CopyButton text={value} label={`Copy ${label.toLowerCase()}`} />
        </span>
      )}
    </KeyValue>
  )
}

/** Copies an alert as JSON in the format that the verification page and the command line accept. */
function CopyAlert({ alert }: { alert: Alert }) {
  const { copied, copy } = useCopied()
  const Icon = copied ? Check : Copy
  return (
    <Button size="sm" onClick={() => void copy(JSON.stringify(alert, null, 2))}>
      <Icon aria-hidden size={16} strokeWidth={2.25} />
      {copied ? 'Copied' : 'Copy alert JSON'}
    </Button>
  )
}

/** Summary of the proof: the seal, the time to the anchor, and the path from leaf to block. */
function AlertProof({ alert, className }: { alert: Alert; className?: string }) {
  const state = sealStateOf(alert)
  return (
    <div className={classNames('flex items-center gap-4 border-y border-line-1 py-3', className)}>
      <Seal leafHash={alert.leafHash} root={alert.root} state={state} size={72} className="phone:size-14" />
      <div className="min-w-0">
        <p className="text-base font-semibold">{proofSentence(alert)}</p>
        <LadderStrip
          rungs={rungsOf(alert)}
          index={alert.logIndex}
          treeSize={alert.treeSize}
          isAnchored={alert.avalancheTx !== null}
          className="mt-1"
        />
      </div>
    </div>
  )
}
