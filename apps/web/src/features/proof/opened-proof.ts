import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Alert } from '@tocsin/protocol'
import { useEffect, useState } from 'react'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { readStoredValue } from '../../browser/stored-json.ts'
import { usePreferences } from '../../session/preferences.ts'
import { makeBundle } from './proof-bundle.ts'
import { ProofClient } from './proof-client.ts'
import { createFingerprint, proofFindings, useProofFinding } from './proof-findings.ts'
import type { BundleCheckResult } from './proof-task.ts'
import { retryMs } from './retry-ms.ts'
import { getRpcHost, parseRpcUrl } from './rpc-url.ts'
import { getTrust, type PublishedLog, parseStoredTrust, resolveRpcUrl, trustStorageKey } from './trust.ts'

/**
 * An alert is checked after it has been open for this time in ms, so that moving through the list
 * starts no checks.
 */
const checkDelayMs = 150

/** Verification state of an opened alert in this browser. */
export type OpenedProof =
  | { kind: 'signed' }
  /** Anchored but not checked, for example because automatic checks are off in the account. */
  | { kind: 'anchored' }
  | { kind: 'checking' }
  /** All six checks passed against the node with this host. */
  | { kind: 'verified'; host: string }
  /** Valid, but the anchor came too late to prove the time of issue. */
  | { kind: 'time-not-proven'; host: string }
  /** No error was found, but no usable chain node is known, so keys and anchor are not checked. */
  | { kind: 'no-node' }
  /** A check could not run, for example because the node did not answer. */
  | { kind: 'unavailable'; retry: () => void }
  | { kind: 'failed'; reason: string }

/** Runs the six checks when an anchored alert stays open, once per version of the alert. */
export function useOpenedProof(alert: Alert): OpenedProof {
  const client = useQueryClient()
  const { preferences, isKnown } = usePreferences()
  const { data: config } = useQuery(queries.config)
  const isAnchored = alert.avalancheTx !== null
  const isDelayOver = useIsDelayOver()
  const isCheckEnabled = isDelayOver && isKnown && preferences.autoVerify && isAnchored && config !== undefined
  const query = createProofQuery(client, alert, config)
  const { data, isFetching, errorUpdateCount } = useQuery({ ...query, enabled: isCheckEnabled })
  const finding = useProofFinding(alert)
  const reason = finding ?? data?.failure ?? null
  useEffect(() => {
    if (!data) return
    const isNew = data.failure ? !finding : data.verdict === 'verified' && finding === undefined
    if (isNew) proofFindings.add(alert, data.failure)
  }, [alert, data, finding])
  if (reason !== null) return { kind: 'failed', reason }
  if (data?.verdict === 'verified' || data?.verdict === 'time-not-proven')
    return { kind: data.verdict, host: data.host }
  if (data && isWithoutNode(data)) return { kind: 'no-node' }
  // Keep the state "unavailable" while the check is repeated in the background, because screen
  // readers announce each change of the state.
  if (isCheckEnabled && (data ? data.verdict === 'unavailable' : errorUpdateCount > 0)) {
    return { kind: 'unavailable', retry: () => void client.resetQueries({ queryKey: query.queryKey }) }
  }
  if (isFetching) return { kind: 'checking' }
  return { kind: isAnchored ? 'anchored' : 'signed' }
}

function useIsDelayOver(): boolean {
  const [isDelayOver, setIsDelayOver] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsDelayOver(true), checkDelayMs)
    return () => clearTimeout(timer)
  }, [])
  return isDelayOver
}

const createProofQuery = (client: QueryClient, alert: Alert, config: PublishedLog | undefined) =>
  queryOptions({
    queryKey: ['opened-proof', createFingerprint(alert)],
    queryFn: async () => {
      if (!config) throw new Error('The configuration is not loaded')
      const firstCheck = await verify(client, alert, config)
      // The alert may be signed with a key newer than the cached key lists. Reload them and check
      // again.
      const isFailed = firstCheck.verification.verdict === 'failed'
      if (isFailed) await client.invalidateQueries({ queryKey: queries.logKeys.queryKey, refetchType: 'none' })
      const { nodeUsage, verification } = isFailed ? await verify(client, alert, config) : firstCheck
      const { verdict, checks } = verification
      const failedCheck = checks.find(({ status }) => status === 'failed')
      return {
        verdict,
        host: getRpcHost(nodeUsage.rpcUrl),
        failure: verdict === 'failed' ? (failedCheck?.reason ?? 'The proof is invalid') : null,
      }
    },
    // The result for a version of an alert does not change, unless a check could not run.
    staleTime: ({ state }) => (isUnavailable(state) ? 0 : Number.POSITIVE_INFINITY),
    refetchInterval: ({ state }) =>
      isUnavailable(state) && !(state.data && isWithoutNode(state.data)) ? retryMs : false,
  })

/** Whether the last check failed to run. */
const isUnavailable = ({ status, data }: { status: string; data?: { verdict: string } | undefined }) =>
  status === 'error' || data?.verdict === 'unavailable'

/** Whether no node was known for the check. The host is then empty, and a retry cannot help. */
const isWithoutNode = ({ verdict, host }: { verdict: string; host: string }) => verdict === 'unavailable' && host === ''

/**
 * Reports once that this page verified the alert, for the admin statistics of how many accounts
 * have verified an alert. The server then also marks the alert as read, so `isReportEnabled` must
 * be false unless the user has opened the alert.
 */
export function useVerifiedReport({ id }: Alert, isReportEnabled: boolean): void {
  useQuery({
    queryKey: ['verified-report', id],
    queryFn: () => call('markAlertsRead', { body: { ids: [id], verified: true } }),
    enabled: isReportEnabled,
  })
}

/** The worker that runs the checks. Created at the first check. */
let worker: ProofClient | null = null

/** @throws Error if the check cannot run */
async function verify(client: QueryClient, alert: Alert, config: PublishedLog): Promise<BundleCheckResult> {
  const storedTrust = parseStoredTrust(readStoredValue(trustStorageKey))
  const { entries } = await client.fetchQuery(queries.logKeys)
  const bundles = [makeBundle(config, entries, alert)]
  const node = parseRpcUrl(resolveRpcUrl(storedTrust, config))
  const task = {
    kind: 'verify',
    bundles,
    trust: getTrust(storedTrust, config),
    rpcUrl: 'url' in node ? node.url : '',
  } as const
  worker ??= new ProofClient()
  return worker.run(task)
}
