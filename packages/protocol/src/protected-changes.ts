import { z } from 'zod'
import { reason } from './admin.ts'
import { byId, emptyBody, endpoint } from './endpoint.ts'
import { address, done, isoTime } from './primitives.ts'
import { person } from './shared-schemas.ts'

/** The settings that only two admins can change while the two-admin rule is on. */
export const protectedKinds = ['chain', 'treasury', 'signer'] as const
export type ProtectedKind = (typeof protectedKinds)[number]

/**
 * `void`: the value had been changed in another way, a proposer or approver was no longer an admin,
 * or the rule was switched off. `expired`: no second admin approved the change within a week.
 * `forced`: a command on the server set the value.
 */
export const protectedChangeOutcomes = ['applied', 'cancelled', 'expired', 'void', 'forced'] as const
export type ProtectedChangeOutcome = (typeof protectedChangeOutcomes)[number]

const chainId = z.int().positive().max(Number.MAX_SAFE_INTEGER)

export const proposeChangeRequest = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('chain'), chainId, reason }),
  z.strictObject({ kind: z.literal('treasury'), chainId, address, reason }),
  z.strictObject({ kind: z.literal('signer'), address, reason }),
])
export type ProposeChangeRequest = z.infer<typeof proposeChangeRequest>

const change = {
  id: z.uuid(),
  kind: z.enum(protectedKinds),
  /** The chain of a treasury. Null for other settings. */
  chainId: z.number().int().nullable(),
  /** A chain id or an address. Null if there was no value. */
  from: z.string().nullable(),
  to: z.string(),
  /** Time at which the change takes effect. Set once a second admin has approved it. */
  effectiveAt: isoTime.nullable(),
  endedAt: isoTime.nullable(),
  outcome: z.enum(protectedChangeOutcomes).nullable(),
}
/** An approved change, or a change that was applied or forced in the last 30 days. */
export const announcedChange = z.object(change).omit({ id: true })
export type AnnouncedChange = z.infer<typeof announcedChange>

export const protectedChange = z.object({
  ...change,
  reason: z.string(),
  proposedBy: person.nullable(),
  proposedAt: isoTime,
  approvedBy: person.nullable(),
  approvedAt: isoTime.nullable(),
})
export type ProtectedChange = z.infer<typeof protectedChange>

export const protectedState = z.object({
  isOn: z.boolean(),
  delayHours: z.number(),
  /**
   * `address`: the treasury that this instance uses. `configured`: the treasury in its environment.
   * `approved`: the approved treasury, which an instance uses from its next start on.
   */
  treasuries: z.array(
    z.object({
      chainId: z.number().int(),
      address: z.string().nullable(),
      approved: z.string().nullable(),
      configured: z.string().nullable(),
    }),
  ),
  /** `next` is the key that this instance has for the next rotation. */
  signer: z.object({ address: z.string().nullable(), next: z.string().nullable(), approved: z.string().nullable() }),
  /** Open changes first, then the newest ended ones. */
  changes: z.array(protectedChange),
})
export type ProtectedState = z.infer<typeof protectedState>

/** The endpoints of the two-admin rule. */
export const protectedChangeEndpoints = {
  findProtectedState: endpoint({
    path: '/api/admin/protected-changes',
    permission: 'settings.read',
    summary: 'Chain, treasuries and signer under the two-admin rule, and their changes',
    response: protectedState,
  }),
  proposeChange: endpoint({
    method: 'POST',
    path: '/api/admin/protected-changes',
    permission: 'settings.change',
    recent: true,
    creates: true,
    summary: 'Propose a change of chain, treasury or signer, which a second admin must approve',
    body: proposeChangeRequest,
    response: done,
  }),
  approveChange: endpoint({
    method: 'POST',
    path: '/api/admin/protected-changes/:id/approve',
    permission: 'settings.change',
    recent: true,
    summary: 'Approve a change that another admin has proposed; it takes effect after the delay',
    params: byId,
    body: emptyBody,
    response: done,
  }),
  cancelChange: endpoint({
    method: 'POST',
    path: '/api/admin/protected-changes/:id/cancel',
    permission: 'settings.change',
    recent: true,
    summary: 'Cancel a change that has not taken effect',
    params: byId,
    body: emptyBody,
    response: done,
  }),
} as const

export const announcedChangesEndpoint = {
  listAnnouncedChanges: endpoint({
    path: '/api/announced-changes',
    access: 'public',
    summary: 'Approved changes of chain, treasury or signer, before and after they take effect',
    response: z.array(announcedChange),
  }),
} as const
