import { getBundleVersion, type ProofBundle, parseBundle } from '@tocsin/proof'
import type { LogKeys } from '@tocsin/protocol'
import type { PublishedLog } from './trust.ts'

/**
 * The parts of a proof file other than the alert: key lists with their proofs, and the anchor
 * contract.
 * @throws Error if the data is malformed
 */
export function makeBundleContext(config: PublishedLog, keys: LogKeys['entries']): Omit<ProofBundle, 'alert'> {
  const { alert: _none, ...context } = makeBundle(config, keys, {})
  return context
}

/**
 * A proof file: an alert with all data needed to verify it.
 * @throws Error if the data is malformed
 */
export function makeBundle(config: PublishedLog, keys: LogKeys['entries'], alert: object): ProofBundle {
  const { chainId, contract, rpcUrl } = config.anchor
  return parseBundle({
    format: 'tocsin-proof',
    version: getBundleVersion(alert),
    anchor: { chainId, contract, rpcUrl },
    firstSigner: config.firstSigner,
    keys,
    alert,
  })
}
