import { type Address, checksumAddress } from '@tocsin/proof'
import { address, isoTime, type PublicConfig } from '@tocsin/protocol'
import { z } from 'zod'
import type { Trust } from './proof-task.ts'

const chainId = z.number().int().positive()

/** Trust settings in local storage. */
const storedTrust = z.object({
  /** Trust anchors pinned at the first check or entered by the user (`isOwn`), and when. */
  pin: z
    .object({ chainId, contract: address, firstSigner: address, at: isoTime, isOwn: z.boolean() })
    .nullable()
    .catch(null),
  rpcUrl: z.string().nullable().catch(null),
})
export type StoredTrust = z.infer<typeof storedTrust>

export const trustStorageKey = 'proof.trust'

export function parseStoredTrust(value: unknown): StoredTrust {
  const parsed = storedTrust.safeParse(value)
  return parsed.success ? parsed.data : { pin: null, rpcUrl: null }
}

/**
 * The data that a site publishes about its log. The configuration and every proof bundle contain
 * these fields.
 */
export interface PublishedLog {
  anchor: Pick<PublicConfig['anchor'], 'chainId' | 'contract' | 'rpcUrl'>
  firstSigner: string
}

/** The trust anchors published by the site. */
export function publishedTrust({ anchor, firstSigner }: PublishedLog): Trust {
  return {
    firstSigner: toAddress(firstSigner),
    domain: { chainId: anchor.chainId, verifyingContract: toAddress(anchor.contract) },
  }
}

/** The trust anchors of a check: pinned ones take precedence over published ones. */
export function trustOf({ pin }: StoredTrust, config: PublishedLog): Trust {
  if (!pin) return publishedTrust(config)
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
export function rpcUrlOf({ rpcUrl }: StoredTrust, config: PublishedLog): string {
  return rpcUrl ?? config.anchor.rpcUrl ?? ''
}

/** The form "What you trust". */
export const trustForm = z.object({
  firstSigner: typedAddress('Enter the first signer’s address'),
  contract: typedAddress('Enter the contract’s address'),
  chainId: z
    .string()
    .trim()
    .regex(/^[1-9]\d{0,14}$/, 'Enter the chain ID')
    .transform(Number),
})
export type TrustDraft = z.input<typeof trustForm>

function typedAddress(missing: string) {
  return z.string().transform((text, context) => {
    try {
      return checksumAddress(text.trim())
    } catch (error) {
      const message = text.trim() === '' || !(error instanceof Error) ? missing : error.message
      context.addIssue({ code: 'custom', message, input: text })
      return z.NEVER
    }
  })
}

function toAddress(text: string): Address {
  return checksumAddress(text.toLowerCase())
}
