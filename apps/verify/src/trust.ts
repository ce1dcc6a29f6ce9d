import { type Address, checksumAddress, type ProofDomain } from '@tocsin/proof'
import { nameOf } from './http.ts'
import type { GivenConfig } from './log-source.ts'
import { type Pins, parseHttpUrl } from './options.ts'
import { type TrustedValue, UsageProblem } from './outcome.ts'

/** What a check rests on. */
export interface Trust {
  firstSigner: Address
  domain: ProofDomain
  rpcUrl: URL
  trusted: TrustedValue[]
}

/**
 * What the user vouches for, and the rest as bundle or server say.
 * @throws UsageProblem without any node to ask, Error with a sentence on a hint that is malformed
 */
export function resolveTrust(pins: Pins, hints: GivenConfig, source: 'bundle' | 'receipt' | 'server'): Trust {
  const firstSigner = pins.firstSigner ?? checksumAddress(hints.firstSigner)
  const contract = pins.contract ?? checksumAddress(hints.contract)
  const chainId = pins.chainId ?? hints.chainId
  if (!Number.isSafeInteger(chainId) || chainId < 1) throw new Error('The chain id is not a positive integer')
  const rpcUrl = pins.rpcUrl ?? (hints.rpcUrl === null ? null : parseHttpUrl(hints.rpcUrl))
  if (!rpcUrl) throw new UsageProblem(`The ${source} names no node of chain ${chainId} to ask. Give one with --rpc.`)
  const sourceOf = (pin: unknown) => (pin === null ? source : 'given')
  return {
    firstSigner,
    domain: { chainId, verifyingContract: contract },
    rpcUrl,
    trusted: [
      { name: 'firstSigner', value: firstSigner, source: sourceOf(pins.firstSigner) },
      { name: 'contract', value: contract, source: sourceOf(pins.contract) },
      { name: 'chainId', value: chainId, source: sourceOf(pins.chainId) },
      // The path of one's own node may hold its key; what bundle or server name is public.
      { name: 'rpc', value: pins.rpcUrl ? nameOf(rpcUrl) : rpcUrl.href, source: sourceOf(pins.rpcUrl) },
    ],
  }
}
