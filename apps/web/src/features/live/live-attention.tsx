import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import type { Alert, Preferences } from '@tocsin/protocol'
import { useEffect, useRef } from 'react'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { usePreferences } from '../../session/preferences.ts'
import { AlertToasts, alertToast } from '../../ui/alert-toast.tsx'
import { toast } from '../../ui/toast.tsx'
import { hrefOf, isLocked, proofHrefOf } from '../alert/alert-words.ts'
import { RelationTags } from '../alert/relations.tsx'
import { failedProofs } from '../proof/proof-findings.ts'
import type { AlertChecker } from './alert-checker.ts'
import { AnnouncementBatcher, criticalAlertText } from './announcement-texts.ts'
import { announcements } from './announcements.ts'
import { decideAttention, type ProofFinding } from './attention.ts'
import { createChecker } from './create-checker.ts'
import { announce } from './live-regions.tsx'
import { isMuted } from './mute.ts'
import { showNotification } from './notification.ts'
import { inOneTab, SoundGate } from './sound-gate.ts'
import { ToastProof } from './toast-proof.tsx'
import { useFreshPreferences } from './use-fresh-preferences.ts'
import { useShortcuts } from './use-shortcuts.tsx'
import { warnOfFailedProof } from './warn-of-failed-proof.tsx'

/**
 * Announces alerts from the stream with toasts, sound, notifications and live regions. Lazily
 * loaded.
 */
export function LiveAttention() {
  const { preferences, isSettled } = usePreferences()
  useFreshPreferences()
  const checker = useAutoVerify(preferences.autoVerify && isSettled)
  useAnnouncements(preferences, isSettled, checker)
  const help = useShortcuts(preferences.shortcuts)
  return (
    <>
      <AlertToasts listHref={paths.notifications} />
      {help}
    </>
  )
}

/** Verifies every alert in the recent list: new, missed and updated ones. */
function useAutoVerify(isOn: boolean): { current: AlertChecker | null } {
  const client = useQueryClient()
  const checker = useRef<AlertChecker | null>(null)
  const { data: recent } = useQuery(queries.recentAlerts)
  useEffect(() => {
    if (!isOn) return
    const opened = createChecker(client, (alert, reason) => {
      failedProofs.add(alert, reason)
      warnOfFailedProof(alert)
    })
    checker.current = opened.checker
    return () => {
      checker.current = null
      opened.close()
    }
  }, [client, isOn])
  useEffect(() => {
    if (!isOn) return
    for (const alert of recent ?? []) if (!isLocked(alert)) void checker.current?.check(alert)
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
    const gate = new SoundGate((priority) =>
      inOneTab(() => void play(priority, currentPreferences.current.soundVolume)),
    )
    // Sequential, so that a slow check does not reorder alerts.
    let queue = Promise.resolve()

    async function announceAlert(alert: Alert, finding: Promise<ProofFinding> | undefined) {
      const proof = (await finding) ?? 'off'
      const situation = { proof, isInUse: document.hasFocus(), isMuted: isMuted() }
      const attention = decideAttention(currentPreferences.current, alert, situation)
      const { id, priority, asset, anomalyType, summary } = alert
      if (attention.toast) {
        alertToast(describeAlert(alert, proof))
        batcher.add(alert)
        if (priority === 'critical') announce('assertive', criticalAlertText(alert))
      }
      if (attention.sound) gate.offer(priority)
      if (attention.notify) {
        const title = `${priority.toUpperCase()} ${asset} ${anomalyType}`.trim()
        showNotification({ title, body: summary, tag: id, onClick: () => router.history.push(hrefOf(id)) })
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
      queue = queue.then(() => announceAlert(alert, finding))
    })
    return () => {
      unsubscribe()
      batcher.stop()
    }
  }, [isReady, router, checker])
}

async function play(priority: Alert['priority'], volume: number): Promise<void> {
  const { playTone } = await import('./sound.ts')
  await playTone(priority, volume)
}

function describeAlert(alert: Alert, finding: ProofFinding) {
  const { id, priority, asset, anomalyType, summary, createdAt } = alert
  return {
    id,
    priority,
    asset,
    anomalyType,
    summary,
    at: createdAt,
    href: hrefOf(id),
    verifyHref: proofHrefOf(id),
    relation: <RelationTags alert={alert} className="mb-1" />,
    proof: finding === 'unchecked' ? 'Not checked' : <ToastProof alert={alert} />,
  }
}
