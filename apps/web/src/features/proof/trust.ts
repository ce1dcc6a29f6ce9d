import { type Address, checksumAddress } from '@tocsin/proof'
import { address, isoTime, type PublicConfig } from '@tocsin/protocol'
import { z } from 'zod'
import { proofSharedTexts } from '../../texts/proof-shared.ts'
import type { Trust } from './proof-task.ts'

const texts = proofSharedTexts.trust

const chainId = z.number().int().positive()

/** What this browser remembers of whom it trusts. */
const kept = z.object({
  /** What it trusted at its first check, and when that was; or what the reader has entered. */
  pin: z
    .object({ chainId, contract: address, firstSigner: address, at: isoTime, isOwn: z.boolean() })
    .nullable()
    .catch(null),
  rpcUrl: z.string().nullable().catch(null),
})
export type KeptTrust = z.infer<typeof kept>

export const keptTrustKey = 'proof.trust'

export function readKeptTrust(value: unknown): KeptTrust {
  const parsed = kept.safeParse(value)
  return parsed.success ? parsed.data : { pin: null, rpcUrl: null }
}

/** What the site says of itself. */
export function publishedTrust({ anchor, firstSigner }: PublicConfig): Trust {
  return {
    firstSigner: toAddress(firstSigner),
    domain: { chainId: anchor.chainId, verifyingContract: toAddress(anchor.contract) },
  }
}

/** What a check trusts: what was pinned at the first one, whatever the site says of itself by now. */
export function trustOf({ pin }: KeptTrust, config: PublicConfig): Trust {
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

export function pinTrust(trust: Trust, isOwn: boolean, now: Date): KeptTrust['pin'] {
  const { firstSigner, domain } = trust
  const { chainId, verifyingContract: contract } = domain
  return { chainId, contract, firstSigner, at: now.toISOString(), isOwn }
}

/** The node to ask: what the reader has entered, else what the site offers; empty where it offers none. */
export function rpcUrlOf({ rpcUrl }: KeptTrust, config: PublicConfig): string {
  return rpcUrl ?? config.anchor.rpcUrl ?? ''
}

/** The three of "What you trust" as they are typed. */
export const trustForm = z.object({
  firstSigner: typedAddress(texts.enterTheFirstSigners),
  contract: typedAddress(texts.enterTheContractsAddress),
  chainId: z
    .string()
    .trim()
    .regex(/^[1-9]\d{0,14}$/, texts.enterTheChainId)
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
