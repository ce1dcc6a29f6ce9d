import type { QueryClient } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'
import { readStored } from '../../browser/stored-json.ts'
import { makeBundleContext } from '../proof/proof-bundle.ts'
import type { Trust } from '../proof/proof-task.ts'
import { parseStoredTrust, trustOf, trustStorageKey } from '../proof/trust.ts'
import { ProofWorker } from '../proof/use-proof-worker.ts'
import { AlertChecker, type CheckerParts } from './alert-checker.ts'

const timeoutMs = 5_000

/** Creates a checker with its own worker. Uses the trusted keys chosen on the Verification page. */
export function createChecker(client: QueryClient, onFailed: CheckerParts['onFailed']) {
  const worker = new ProofWorker()
  let trust: Trust | null = null
  const checker = new AlertChecker({
    async bundle(alert, isFresh) {
      const [config, { entries }] = await Promise.all([
        client.ensureQueryData(queries.config),
        isFresh ? client.fetchQuery({ ...queries.logKeys, staleTime: 0 }) : client.ensureQueryData(queries.logKeys),
      ])
      trust = trustOf(parseStoredTrust(readStored(trustStorageKey)), config)
      return { ...makeBundleContext(config, entries), alert: { ...alert } }
    },
    verify: (bundle) =>
      trust ? worker.run({ kind: 'verifyOffline', bundle, trust }) : Promise.reject(new Error('No trusted keys')),
    onFailed,
    timeoutMs,
  })
  return { checker, close: () => worker.close() }
}
