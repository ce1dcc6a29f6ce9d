import { type Address, checksumAddress, type ProofDomain } from '@tocsin/proof'
import { formatOrigin } from './http.ts'
import type { GivenConfig } from './log-source.ts'
import { type Pins, parseHttpUrl } from './options.ts'
import { type TrustedValue, UsageProblem } from './outcome.ts'

/** The values on which a check relies. */
export interface Trust {
  firstSigner: Address
  domain: ProofDomain
  /**
   * Null if only a file names a node, because an untrusted file must not decide where this program
   * connects.
   */
  rpcUrl: URL | null
  trusted: TrustedValue[]
}

/**
 * Combines the values given by the user with those of the bundle or server.
 * @throws UsageProblem if `source` is `server` or `file` and no node is known, Error on a malformed
 * value
 */
export function resolveTrust(pins: Pins, hints: GivenConfig, source: 'bundle' | 'receipt' | 'server' | 'file'): Trust {
  const firstSigner = pins.firstSigner ?? checksumAddress(hints.firstSigner)
  const contract = pins.contract ?? checksumAddress(hints.contract)
  const chainId = pins.chainId ?? hints.chainId
  if (!Number.isSafeInteger(chainId) || chainId < 1) throw new Error('The chain id is not a positive integer')
  const hintedUrl = hints.rpcUrl === null ? null : parseHttpUrl(hints.rpcUrl)
  const rpcUrl = pins.rpcUrl ?? (source === 'server' ? hintedUrl : null)
  if (!rpcUrl && (source === 'server' || source === 'file')) {
    throw new UsageProblem(`The ${source} does not provide a node of chain ${chainId}. Give one with --rpc.`)
  }
  const getSource = (pin: unknown) => (pin === null ? source : 'given')
  return {
    firstSigner,
    domain: { chainId, verifyingContract: contract },
    rpcUrl,
    trusted: [
      { name: 'firstSigner', value: firstSigner, source: getSource(pins.firstSigner) },
      { name: 'contract', value: contract, source: getSource(pins.contract) },
      { name: 'chainId', value: chainId, source: getSource(pins.chainId) },
      ...presentNode('rpc', pins.rpcUrl, hintedUrl, source),
    ],
  }
}

/**
 * Shows only the host of the user's node, because its path may contain an API key. URLs from a file
 * or server are public.
 */
export function presentNode(
  name: 'rpc' | 'paymentRpc',
  pinnedUrl: URL | null,
  hintedUrl: URL | null,
  source: 'bundle' | 'receipt' | 'server' | 'file',
): TrustedValue[] {
  if (pinnedUrl) return [{ name, value: formatOrigin(pinnedUrl), source: 'given' }]
  return hintedUrl ? [{ name, value: hintedUrl.href, source: source === 'server' ? source : 'not-asked' }] : []
}

export function isPinned({ pins }: { pins: Pins }): boolean {
  return pins.firstSigner !== null && pins.contract !== null && pins.chainId !== null && pins.rpcUrl !== null
}

const missingPins = 'Give --first-signer, --contract, --chain-id and --rpc from a source that you trust'

/** Added to any other conclusion of a check that relies on values chosen by the file or server. */
export const unpinnedNote = `This relies on values that do not come from you. ${missingPins}.`

/** Returns the conclusion for a check that relies on values chosen by the file or server itself. */
export function describeUnpinned(isChainAsked: boolean): string {
  return isChainAsked
    ? `Everything is consistent, but with values that do not come from you. ${missingPins}.`
    : `The checks that need no node succeeded, but no node was given, so the chain was not queried. ${missingPins}.`
}
