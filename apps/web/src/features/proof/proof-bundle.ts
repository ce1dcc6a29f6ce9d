import { bundleVersion, type ProofBundle, parseBundle } from '@tocsin/proof'
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
    version: bundleVersion(alert),
    anchor: { chainId, contract, rpcUrl },
    firstSigner: config.firstSigner,
    keys,
    alert,
  })
}

export function proofFileName(logIndex: number): string {
  return `tocsin-${logIndex}.json`
}

/**
 * The command that verifies a proof file, or the whole log with `--from-url`: from a checkout of
 * the source, or with the verifier that the site serves. The options set everything that is
 * trusted; without them the command only verifies that the file is consistent.
 */
export function verifyCommand(target: string, config: PublishedLog | undefined, program = 'npm run verify --'): string {
  // Placeholders have the same number of lines, to avoid a layout shift.
  const { firstSigner, anchor } = config ?? {
    firstSigner: '0x…',
    anchor: { contract: '0x…', chainId: '…', rpcUrl: null },
  }
  return [
    `${program} ${target}`,
    `--first-signer ${firstSigner}`,
    `--contract ${anchor.contract}`,
    `--chain-id ${anchor.chainId} --rpc ${anchor.rpcUrl ?? 'https://…'}`,
  ].join(' \\\n  ')
}
