import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation, useParams } from '@tanstack/react-router'
import { defaultPreferences } from '@tocsin/protocol'
import { createElement, type ReactNode, Suspense, useEffect, useEffectEvent, useMemo, useRef } from 'react'
import { ApiError } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { setTabTitle } from '../../browser/tab-title.ts'
import { createAlertPath, paths } from '../../paths.ts'
import { useAuth } from '../../session/auth.tsx'
import { applyTimeStyle } from '../../session/use-appearance.ts'
import { Button } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/command-line.tsx'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { Panel } from '../../ui/panel.tsx'
import { shortenHash } from '../../ui/short-hex.ts'
import { SiteLink } from '../../ui/site-link.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { setTimeStyle, utcStyle } from '../../ui/time-style.ts'
import { alertQueries } from '../alert/alert-queries.ts'
import { useCurrentPrice } from '../market/current-price.ts'
import type { IssuePrice } from '../market/issue-price.ts'
import { messageQuery } from '../prediction/outcome-message.ts'
import { PredictionPanel } from '../prediction/prediction-panel.tsx'
import { CheckedOutcomes } from '../proof/checked-outcomes.tsx'
import { ChecksPanel } from '../proof/checks-panel.tsx'
import { readAlertText } from '../proof/claim.ts'
import { retryMs } from '../proof/retry-ms.ts'
import { parseRpcUrl } from '../proof/rpc-url.ts'
import { TrustSection } from '../proof/trust-section.tsx'
import { useChecks } from '../proof/use-checks.ts'
import { useTrust } from '../proof/use-trust.ts'
import { isWithoutNode } from '../proof/verdict.ts'
import { verifierFile, verifierName } from '../proof/verifier-file.ts'
import { createProofFileName, createVerifyCommand } from '../proof/verify-command.ts'
import { LandingFooter } from '../site/landing-footer.tsx'
import { LandingHeader } from '../site/landing-header.tsx'
import { NotFoundPage } from '../site/not-found-page.tsx'
import { container } from '../site/section.tsx'
import { AlertActions } from './alert-actions.tsx'
import { alertElement } from './alert-element.ts'
import { parseIndex } from './alert-query.ts'
import { createPageMetadata } from './alert-texts.ts'
import {
  AlertView,
  findIssuePrice,
  findOutcomeMessage,
  type PriceSince,
  type ReadablePage,
  WithheldView,
} from './alert-view.tsx'
import { describeProof } from './proof-state.ts'
import { useAlertAt } from './use-alert-at.ts'

const OutcomeChart = lazyLoad(async () => (await import('../market/outcome-chart.tsx')).OutcomeChart)

/** Delay before an entered node is queried, so that no check starts while it is being typed. */
const debounceMs = 800

/** Classes of panels that fill the width of a phone, without gaps. */
const phonePanelClasses = 'phone:border-x-0 phone:border-t-0'

/** The public page of one alert. The fragment of a shared link contains the token of the link. */
export function AlertPage() {
  const { index: text = '' } = useParams({ strict: false })
  const token = useLocation({ select: ({ hash }) => hash })
  const index = parseIndex(text)
  return index === null ? <NotFoundPage /> : <AlertAtIndex key={index} index={index} token={token} />
}

function AlertAtIndex({ index, token }: { index: number; token: string }) {
  const { data, error, refetch } = useAlertAt(index, token)
  const title = data && createPageMetadata(data, Date.now()).title
  useEffect(() => {
    if (title !== undefined) setTabTitle(title)
  }, [title])
  if (error instanceof ApiError && error.status === 404) return <NotFoundPage />
  return (
    <Frame>
      {data && <ReaderTimes />}
      {data === undefined ? (
        error ? (
          <Failure onRetry={() => void refetch()} />
        ) : (
          <Loading />
        )
      ) : data.access === 'withheld' ? (
        <WithheldView page={data}>
          {token !== '' && (
            <p className="mt-4 text-body">
              This link no longer shows the alert. It may have expired, or the person who shared it has revoked it.
            </p>
          )}
          <div className="mt-5">
            <Button asChild variant="primary" size="lg">
              <SiteLink href={`${paths.home}#plans`}>Get alerts at once</SiteLink>
            </Button>
          </div>
        </WithheldView>
      ) : (
        <Readable page={data} />
      )}
    </Frame>
  )
}

/**
 * Shows times in the zone of the account, or else of the browser. The HTML of the server has UTC.
 */
function ReaderTimes(): null {
  const { isAuthenticated } = useAuth()
  const { data } = useQuery({ ...queries.preferences, enabled: isAuthenticated })
  const { timeZone, hourCycle } = data ?? defaultPreferences
  useEffect(() => {
    applyTimeStyle({ timeZone, hourCycle })
    return () => setTimeStyle(utcStyle)
  }, [timeZone, hourCycle])
  return null
}

function Frame({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <LandingHeader current={createAlertPath(0)} />
      <main id="page" tabIndex={-1} className="flex-1 outline-none">
        {createElement(alertElement, { className: 'contents' }, children)}
      </main>
      <LandingFooter />
    </div>
  )
}

function Readable({ page }: { page: ReadablePage }) {
  const { bundle, message } = page
  const { alert } = bundle
  const client = useQueryClient()
  // The chart reads the messages that came with the page, so that it needs no further request.
  useMemo(() => {
    const { queryKey } = alertQueries.signal(alert.id, alert.createdAt)
    client.setQueryData(queryKey, { message })
    if (alert.outcome) client.setQueryData(messageQuery(alert.outcome.messageHash).queryKey, findOutcomeMessage(page))
  }, [client, alert, message, page])
  const issue = useMemo(() => findIssuePrice(page), [page])
  const priceSince = usePriceSince(issue)
  const choice = useTrust(bundle)
  const { checked, busy, failure, check } = useChecks(bundle, choice)
  const claim = useMemo(() => {
    const textResult = readAlertText(JSON.stringify(bundle))
    if ('problem' in textResult) return null
    const { signature, avalancheTx } = alert
    return { ...textResult, signature, transaction: avalancheTx ?? '' }
  }, [bundle, alert])
  const verify = () => claim && check('browser', claim)
  const verifyAutomatically = useEffectEvent(verify)
  useEffect(() => {
    if (claim) verifyAutomatically()
  }, [claim])
  const node = parseRpcUrl(choice?.rpcUrl ?? '')
  const rpcUrl = 'url' in node ? node.url : ''
  const usedRpcUrl = useRef(rpcUrl)
  useEffect(() => {
    if (rpcUrl === '' || rpcUrl === usedRpcUrl.current) return
    const timer = setTimeout(() => {
      usedRpcUrl.current = rpcUrl
      verifyAutomatically()
    }, debounceMs)
    return () => clearTimeout(timer)
  }, [rpcUrl])
  const isUnavailable = busy === null && checked?.findings.verdict === 'unavailable' && !isWithoutNode(checked.checker)
  useEffect(() => {
    if (!isUnavailable) return
    const timer = setTimeout(verifyAutomatically, retryMs)
    return () => clearTimeout(timer)
  }, [isUnavailable])
  const proof = describeProof({ checked, busy: busy !== null, failure }, location.host)
  const isQuerying = checked?.checker.kind === 'browser' && checked.checker.isRunning
  // Before the check has ended, show the outcome. Afterwards, show it only if one of the checked
  // outcome entries contains the hash of its message.
  const isOutcomeSigned =
    !checked ||
    isQuerying ||
    checked.outcomes.some(({ statement }) => statement?.messageHash === alert.outcome?.messageHash)
  const shownPage = useMemo(
    () => (isOutcomeSigned ? page : { ...page, bundle: { ...bundle, alert: { ...alert, outcome: undefined } } }),
    [page, bundle, alert, isOutcomeSigned],
  )
  const { alert: shownAlert } = shownPage.bundle
  return (
    <AlertView page={shownPage} prediction={<PredictionPanel alert={shownAlert} />} proof={proof} since={priceSince}>
      <div className="mt-4 grid items-start gap-4 lg:grid-cols-[minmax(0,744fr)_minmax(0,440fr)] phone:mt-0 phone:gap-0">
        <div className="flex min-w-0 flex-col gap-4 max-lg:contents">
          <Panel title="Around the alert" className={phonePanelClasses}>
            {alert.signalHash !== null && (
              // The placeholder is as high as the chart with its legend and its table.
              <Suspense fallback={<div className="min-h-73 md:min-h-98" />}>
                <OutcomeChart alert={shownAlert} price={issue?.price ?? null} size="page" />
              </Suspense>
            )}
            {checked && <CheckedOutcomes outcomes={checked.outcomes} />}
            {message === null && !alert.prediction && (
              <p className="text-body text-2">An admin wrote this alert. It has no chart and no prediction.</p>
            )}
          </Panel>
          {choice && (
            <Panel title="Trust settings of this browser" className={`max-lg:order-last ${phonePanelClasses}`}>
              <TrustSection choice={choice} config={bundle} isWide />
            </Panel>
          )}
        </div>
        <div className="flex min-w-0 flex-col gap-4 phone:gap-0">
          <div className="flex flex-col">
            <ChecksPanel
              steps={checked?.findings.steps ?? null}
              failedStep={checked?.findings.failedStep ?? null}
              isQuerying={isQuerying}
            />
            <AlertActions page={page} busy={busy !== null} onCheck={verify} />
          </div>
          <Panel title="Check it without us" className={phonePanelClasses}>
            <CommandLine
              command={createVerifyCommand(
                createProofFileName(alert.logIndex),
                bundle,
                verifierFile ? `node ${verifierName}` : undefined,
              )}
            />
            <p className="mt-3 text-hint text-2">
              {verifierFile && <VerifierLink file={verifierFile} />}
              The command needs the proof file and a node of the chain. Compare the addresses, which are from this site,
              with a source that you trust.
            </p>
          </Panel>
        </div>
      </div>
    </AlertView>
  )
}

/**
 * Returns the current price and its change since issue. Null if there is no session, no
 * subscription or no current price.
 */
function usePriceSince(issue: IssuePrice | null): PriceSince | null {
  const { isAuthenticated } = useAuth()
  const currentPrice = useCurrentPrice(isAuthenticated ? issue : null)
  if (currentPrice.kind !== 'now' || currentPrice.change === null) return null
  return { price: currentPrice.seen.price, change: currentPrice.change }
}

function VerifierLink({ file: { bytes, sha256 } }: { file: NonNullable<typeof verifierFile> }) {
  return (
    <>
      <a href={`/${verifierName}`} download className="link touch-target underline">
        The verifier
      </a>
      , {Math.round(bytes / 1000)} kB, sha-256{' '}
      <span title={sha256} className="text-data text-1">
        {shortenHash(sha256)}
      </span>
      .{' '}
    </>
  )
}

function Loading() {
  return (
    <div className={`${container} pt-8`}>
      <Panel flush>
        <div className="flex min-h-66 items-center gap-9 p-9 phone:p-4">
          <Skeleton className="size-36 phone:size-18" />
          <p className="text-base text-2">Loading the alert…</p>
        </div>
      </Panel>
    </div>
  )
}

function Failure({ onRetry }: { onRetry: () => void }) {
  return (
    <div role="alert" className={`${container} flex flex-wrap items-center gap-4 py-10`}>
      <p className="text-body">The alert can’t be read right now.</p>
      <Button onClick={onRetry}>Try again</Button>
    </div>
  )
}
