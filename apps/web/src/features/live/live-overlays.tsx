import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import type { Alert, Preferences } from '@tocsin/protocol'
import { useCallback, useEffect, useRef } from 'react'
import { queries } from '../../api/queries.ts'
import { useOtherTabs } from '../../browser/other-tabs.ts'
import { readStoredValue } from '../../browser/stored-json.ts'
import { yieldToBrowser } from '../../browser/yield-to-browser.ts'
import { paths } from '../../paths.ts'
import { savePreferencesKey, usePreferences } from '../../session/preferences.ts'
import { AlertToasts, showAlertToast } from '../../ui/alert-toast.tsx'
import { formatDateTimeWithZone } from '../../ui/format-time.ts'
import { HrefLink } from '../../ui/href-link.tsx'
import { Seal } from '../../ui/identity/seal.tsx'
import { readTimeStyle } from '../../ui/time-style.ts'
import { toast } from '../../ui/toast.tsx'
import { AcknowledgeButton } from '../alert/acknowledge-button.tsx'
import { alertQueries } from '../alert/alert-queries.ts'
import {
  createAlertHref,
  createProofHref,
  extractClause,
  formatAlertAnchorDelay,
  getSealState,
  isLocked,
} from '../alert/alert-texts.ts'
import { RelationTags } from '../alert/relations.tsx'
import { useRefetchNewAlerts } from '../alerts/use-fresh-alerts.ts'
import { getOutcomeKind, outcomeNames } from '../prediction/outcome-state.ts'
import { OutcomeTag } from '../prediction/outcome-tag.tsx'
import { formatAnomalyType } from '../prediction/prediction-names.ts'
import { formatMeasuredExpectation } from '../prediction/prediction-texts.ts'
import { makeBundleContext } from '../proof/proof-bundle.ts'
import { ProofClient } from '../proof/proof-client.ts'
import { proofFindings } from '../proof/proof-findings.ts'
import type { Trust } from '../proof/proof-task.ts'
import { getTrust, parseStoredTrust, trustStorageKey } from '../proof/trust.ts'
import { AlertChecker, type CheckerDependencies } from './alert-checker.ts'
import { AnnouncementBatcher, formatCriticalAlert } from './announcement-texts.ts'
import { announcements } from './announcements.ts'
import { answerWorker } from './answer-worker.ts'
import { decideAttention, decideOutcomeToast, type ProofFinding } from './attention.ts'
import { holdFocusLock, isSiteInUse } from './focus-lock.ts'
import { isListed } from './listed-alert.ts'
import { announce } from './live-regions.tsx'
import { isMuted } from './mute.ts'
import { showNotification } from './notification.ts'
import { playInOneTab, SoundLimiter } from './sound-gate.ts'
import { usePalette } from './use-palette.tsx'
import { useShortcuts } from './use-shortcuts.tsx'

/**
 * Announces alerts from the stream with toasts, sound, browser notifications and live regions, and
 * shows the command palette and the shortcuts dialog. Refetches new alerts while no stream is live.
 * Loaded on demand.
 */
export function LiveOverlays() {
  const { preferences, isSettled } = usePreferences()
  useRefetchPreferences()
  useRefetchNewAlerts()
  const checker = useAutoVerify(preferences.autoVerify && isSettled)
  useAnnouncements(preferences, isSettled, checker)
  useEffect(answerWorker, [])
  useEffect(holdFocusLock, [])
  const shortcutsDialog = useShortcuts(preferences.shortcuts)
  const palette = usePalette()
  return (
    <>
      <AlertToasts listHref={paths.notifications} />
      {shortcutsDialog}
      {palette}
    </>
  )
}

/** Verifies every alert in the list of recent alerts, including missed and updated alerts. */
function useAutoVerify(isOn: boolean): { current: AlertChecker | null } {
  const client = useQueryClient()
  const checker = useRef<AlertChecker | null>(null)
  const { data: recent } = useQuery(queries.recentAlerts)
  useEffect(() => {
    if (!isOn) return
    const alertChecker = createChecker(client, (alert, reason) => {
      proofFindings.add(alert, reason)
      warnOfFailedProof(alert)
    })
    checker.current = alertChecker.checker
    return () => {
      checker.current = null
      alertChecker.close()
    }
  }, [client, isOn])
  useEffect(() => {
    if (!isOn) return
    const controller = new AbortController()
    const alerts = (recent ?? []).filter((alert): alert is Alert => !isLocked(alert))
    // Start the checks in a new task: the page's effects are a long task even without them.
    void yieldToBrowser().then(() => checker.current?.checkAll(alerts, controller.signal))
    return () => controller.abort()
  }, [recent, isOn])
  return checker
}

/** Handles announcements once the preferences are loaded. */
function useAnnouncements(preferences: Preferences, isReady: boolean, checker: { current: AlertChecker | null }): void {
  const router = useRouter()
  const currentPreferences = useRef(preferences)
  currentPreferences.current = preferences
  useEffect(() => {
    if (!isReady) return
    const batcher = new AnnouncementBatcher((words) => announce('polite', words))
    // A check or a delayed tone can end after a logout. The next account must not see or hear its
    // alert.
    let isStopped = false
    const soundGate = new SoundLimiter((priority) => {
      if (isStopped) return
      playPriorityTone(priority, currentPreferences.current.soundVolume).catch(reportError)
    })
    // Process announcements one after the other, so that a slow check does not change their order.
    let queue = Promise.resolve()
    const enqueue = (
      finding: Promise<ProofFinding> | undefined,
      run: (proof: ProofFinding) => Promise<void> | void,
    ) => {
      queue = queue
        .then(async () => {
          const proof = (await finding) ?? 'off'
          if (!isStopped) await run(proof)
        })
        // Report a failure here, because a rejected queue would skip all later announcements.
        .catch(reportError)
    }

    async function announceAlert(alert: Alert, proof: ProofFinding) {
      const situation = { proof, isInUse: await isSiteInUse(), isMuted: isMuted() }
      if (isStopped) return
      const attention = decideAttention(currentPreferences.current, alert, situation)
      const { id, priority, asset, anomalyType } = alert
      if (attention.sound) soundGate.requestSound(priority)
      if (attention.notify) {
        const title = `${priority.toUpperCase()} ${asset} ${anomalyType}`.trim()
        showNotification({
          title,
          body: extractClause(alert),
          tag: id,
          onClick: () => router.history.push(createAlertHref(id)),
        })
      }
      if (attention.toast) {
        batcher.add(alert)
        if (priority === 'critical') announce('assertive', formatCriticalAlert(alert))
        if (!(await isListed(id)) && !isStopped) showAlertToast(describeAlert(alert, proof))
      }
    }

    const unsubscribe = announcements.listen((announcement) => {
      if (announcement.kind === 'caught_up') {
        const { count } = announcement
        toast({ title: `Caught up: ${count} ${count === 1 ? 'alert' : 'alerts'}` })
        return
      }
      const { alert } = announcement
      const finding = checker.current?.check(alert)
      if (announcement.kind === 'outcome') {
        enqueue(finding, (proof) => {
          if (proof !== 'failed' && decideOutcomeToast(currentPreferences.current, alert)) announceOutcome(alert)
        })
        return
      }
      enqueue(finding, (proof) => announceAlert(alert, proof))
    })
    return () => {
      isStopped = true
      unsubscribe()
      batcher.stop()
    }
  }, [isReady, router, checker])
}

async function playPriorityTone(priority: Alert['priority'], volume: number): Promise<void> {
  const { playTone, unlockSound } = await import('./sound.ts')
  await playInOneTab(unlockSound, () => playTone(priority, volume))
}

/** Shows a toast with the verdict on the prediction of an alert. */
function announceOutcome(alert: Alert): void {
  const kind = getOutcomeKind(alert, Date.now())
  if (!alert.prediction || kind === null) return
  const { id, priority, asset, prediction, outcome, createdAt } = alert
  showAlertToast({
    id: `${id} outcome`,
    priority,
    asset,
    type: formatAnomalyType(alert),
    relation: <OutcomeTag alert={alert} className="mb-1 font-semibold" />,
    summary: `${formatMeasuredExpectation(prediction, outcome, { style: readTimeStyle() })}.`,
    at: outcome?.createdAt ?? createdAt,
    href: createAlertHref(id),
    verifyHref: createProofHref(id),
  })
  announce('polite', `${asset}: ${kind === 'did-not' ? 'did not come true' : outcomeNames[kind].toLowerCase()}`)
}

function describeAlert(alert: Alert, finding: ProofFinding) {
  const { id, priority, asset, summary, createdAt } = alert
  const isNewCritical = priority === 'critical' && alert.kind === 'alert'
  return {
    id,
    priority,
    asset,
    type: formatAnomalyType(alert),
    summary,
    at: createdAt,
    href: createAlertHref(id),
    verifyHref: createProofHref(id),
    relation: <RelationTags alert={alert} className="mb-1" />,
    ...(isNewCritical ? { action: <AcknowledgeButton logIndex={alert.logIndex} plain /> } : {}),
    proof: finding === 'unchecked' ? 'Not checked' : <ToastProof alert={alert} />,
  }
}

/**
 * Refetches preferences and saved views when another tab changes them, or when another device
 * changes them while the stream is open.
 */
function useRefetchPreferences(): void {
  const client = useQueryClient()
  const refetch = useCallback(() => {
    void client.invalidateQueries({ queryKey: alertQueries.views.queryKey })
    // Do not refetch while a change is being saved, because the response to the change will be
    // newer.
    if (client.isMutating({ mutationKey: savePreferencesKey }) > 0) return
    void client.invalidateQueries({ queryKey: queries.preferences.queryKey })
  }, [client])
  useOtherTabs('preferences', refetch)
}

/**
 * Warns that the proof of an alert failed. Does not show the content of the alert, which may be
 * forged.
 */
function warnOfFailedProof({ id, createdAt }: Alert): void {
  const title = 'An alert failed its check'
  const description = `The proof of the alert received as issued at ${formatDateTimeWithZone(Date.parse(createdAt), readTimeStyle())} is invalid. Do not act on it.`
  announce('assertive', `${title}. ${description}`)
  toast({
    title,
    description,
    variant: 'destructive',
    action: (
      <HrefLink href={createProofHref(id)} className="link touch-target">
        Check proof
      </HrefLink>
    ),
  })
}

/**
 * State of the proof in the toast of an alert. It is updated while the toast is shown, because
 * anchoring takes seconds.
 */
function ToastProof({ alert }: { alert: Alert }) {
  const { data: currentAlert = alert } = useQuery({
    ...queries.recentAlerts,
    select: (list) =>
      list.find((listedAlert): listedAlert is Alert => listedAlert.id === alert.id && !isLocked(listedAlert)) ?? alert,
  })
  return (
    <span className="flex items-center gap-2 text-hint whitespace-nowrap text-2">
      <Seal leafHash={currentAlert.leafHash} root={currentAlert.root} state={getSealState(currentAlert)} size={20} />
      {formatProofState(currentAlert)}
    </span>
  )
}

/** Describes the state of the proof in few words, so that it fits on one line of a toast. */
function formatProofState(alert: Alert): string {
  if (alert.avalancheTx === null) return 'Signed, anchoring…'
  const delay = formatAlertAnchorDelay(alert)
  return delay === null ? 'Anchored' : `Anchored after ${delay}`
}

const checkTimeoutMs = 5_000

/**
 * Creates a checker with its own worker. It trusts the keys that were chosen on the Verification
 * page.
 */
function createChecker(client: QueryClient, onFailed: CheckerDependencies['onFailed']) {
  const worker = new ProofClient()
  let trust: Trust | null = null
  const checker = new AlertChecker({
    async bundle(alert, isFresh) {
      const [config, { entries }] = await Promise.all([
        client.ensureQueryData(queries.config),
        isFresh ? client.fetchQuery({ ...queries.logKeys, staleTime: 0 }) : client.ensureQueryData(queries.logKeys),
      ])
      trust = getTrust(parseStoredTrust(readStoredValue(trustStorageKey)), config)
      return { ...makeBundleContext(config, entries), alert: { ...alert } }
    },
    verify: (bundle) =>
      trust ? worker.run({ kind: 'verifyOffline', bundle, trust }) : Promise.reject(new Error('No trusted keys')),
    onFailed,
    timeoutMs: checkTimeoutMs,
  })
  return { checker, close: () => worker.close() }
}
