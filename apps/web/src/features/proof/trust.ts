import { type Address, checksumAddress } from '@tocsin/proof'
import type { PublicConfig } from '@tocsin/protocol'
import { toRecord } from '../../browser/stored-json.ts'
import type { Trust } from './proof-task.ts'

/**
 * Trust anchors that were pinned at the first check or entered by the user (`isOwn`), with the time
 * at which they were stored (ISO).
 */
interface Pin {
  chainId: number
  contract: string
  firstSigner: string
  at: string
  isOwn: boolean
}

/** Trust settings in local storage. */
export interface StoredTrust {
  pin: Pin | null
  rpcUrl: string | null
}

export const trustStorageKey = 'proof.trust'

/** Reads settings from storage. Invalid values count as missing. */
export function parseStoredTrust(value: unknown): StoredTrust {
  const { pin, rpcUrl } = toRecord(value)
  return { pin: parsePin(toRecord(pin)), rpcUrl: typeof rpcUrl === 'string' ? rpcUrl : null }
}

function parsePin({ chainId, contract, firstSigner, at, isOwn }: { [name: string]: unknown }): Pin | null {
  const isTime = typeof at === 'string' && !Number.isNaN(Date.parse(at))
  if (!isChainId(chainId) || !isAddress(contract) || !isAddress(firstSigner)) return null
  return isTime && typeof isOwn === 'boolean' ? { chainId, contract, firstSigner, at, isOwn } : null
}

const isChainId = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0
const isAddress = (value: unknown): value is string => typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value)

/**
 * The data that a site publishes about its log. The configuration and every proof bundle contain
 * these fields.
 */
export interface PublishedLog {
  anchor: Pick<PublicConfig['anchor'], 'chainId' | 'contract' | 'rpcUrl'>
  firstSigner: string
}

export function getPublishedTrust({ anchor, firstSigner }: PublishedLog): Trust {
  return {
    firstSigner: toAddress(firstSigner),
    domain: { chainId: anchor.chainId, verifyingContract: toAddress(anchor.contract) },
  }
}

/** The trust anchors of a check: pinned ones take precedence over published ones. */
export function getTrust({ pin }: StoredTrust, config: PublishedLog): Trust {
  if (!pin) return getPublishedTrust(config)
  return {
    firstSigner: toAddress(pin.firstSigner),
    domain: { chainId: pin.chainId, verifyingContract: toAddress(pin.contract) },
  }
}

export function isSameTrust(a: Trust, b: Trust): boolean {
  return (
    a.firstSigner === b.firstSigner &&
    a.domain.chainId === b.domain.chainId &&
    a.domain.verifyingContract === b.domain.verifyingContract
  )
}

export function pinTrust(trust: Trust, isOwn: boolean, now: Date): StoredTrust['pin'] {
  const { firstSigner, domain } = trust
  const { chainId, verifyingContract: contract } = domain
  return { chainId, contract, firstSigner, at: now.toISOString(), isOwn }
}

/** URL of the chain node: entered by the user, or the site's. Empty if neither exists. */
export function resolveRpcUrl({ rpcUrl }: StoredTrust, config: PublishedLog): string {
  return rpcUrl ?? config.anchor.rpcUrl ?? ''
}

/** Values of the form "What you trust". */
export type TrustDraft = { firstSigner: string; contract: string; chainId: string }
export type TrustProblems = Partial<TrustDraft>

/**
 * Validates the form. Addresses are accepted in all lower case, in all upper case, or with a valid
 * checksum.
 */
export function readTrust(draft: TrustDraft): Trust | { problems: TrustProblems } {
  const problems: TrustProblems = {}
  const readAddress = (field: 'firstSigner' | 'contract', missingMessage: string) => {
    try {
      return checksumAddress(draft[field].trim())
    } catch (error) {
      problems[field] = draft[field].trim() === '' || !(error instanceof Error) ? missingMessage : error.message
      return null
    }
  }
  const firstSigner = readAddress('firstSigner', 'Enter the first signer’s address')
  const verifyingContract = readAddress('contract', 'Enter the contract’s address')
  const chainId = draft.chainId.trim()
  if (!/^[1-9]\d{0,14}$/.test(chainId)) problems.chainId = 'Enter the chain ID'
  if (firstSigner === null || verifyingContract === null || problems.chainId !== undefined) return { problems }
  return { firstSigner, domain: { chainId: Number(chainId), verifyingContract } }
}

function toAddress(text: string): Address {
  return checksumAddress(text.toLowerCase())
}
