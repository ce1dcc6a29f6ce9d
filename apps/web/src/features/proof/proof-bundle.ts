import { bundleVersion, type ProofBundle, parseBundle } from '@tocsin/proof'
import type { LogKeys, PublicConfig } from '@tocsin/protocol'

/**
 * What a proof file holds around its alert: the key lists with their proof, and where the anchors are.
 * @throws Error when something of it is malformed
 */
export function frameOf(config: PublicConfig, keys: LogKeys['entries']): Omit<ProofBundle, 'alert'> {
  const { alert: _none, ...frame } = makeBundle(config, keys, {})
  return frame
}

/**
 * An alert with all that is needed to check it anywhere.
 * @throws Error when something of it is malformed
 */
export function makeBundle(config: PublicConfig, keys: LogKeys['entries'], alert: object): ProofBundle {
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
 * Checks a proof file, or with `--from-url` the whole log, on a machine that has nothing of ours but the source. The options name
 * everything that is taken on trust: without them the command says only that the file is consistent.
 */
export function verifyCommand(what: string, config: Pick<PublicConfig, 'anchor' | 'firstSigner'> | undefined): string {
  // Placeholders take as many lines, so nothing moves when the values arrive.
  const { firstSigner, anchor } = config ?? {
    firstSigner: '0x…',
    anchor: { contract: '0x…', chainId: '…', rpcUrl: null },
  }
  return [
    `npm run verify -- ${what}`,
    `--first-signer ${firstSigner}`,
    `--contract ${anchor.contract}`,
    `--chain-id ${anchor.chainId} --rpc ${anchor.rpcUrl ?? 'https://…'}`,
  ].join(' \\\n  ')
}
