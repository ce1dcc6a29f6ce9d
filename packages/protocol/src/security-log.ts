import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { isoTime } from './primitives.ts'
import { createPageSchema, numericCursor, pageSize, searchText } from './shared-schemas.ts'

/**
 * Categories of the security log. `sign-in`: sessions that start, fail or end. `access`: creation
 * of an account, and changes or use of its sign-in methods, factors, codes and keys. `admin`:
 * actions of the audit log. `refused`: refusals that may indicate an attack. `alarm`: events that
 * an operator must handle.
 */
export const securityCategories = ['sign-in', 'access', 'admin', 'refused', 'alarm'] as const
export type SecurityCategory = (typeof securityCategories)[number]

const pageParameters = { cursor: numericCursor, limit: pageSize }

export const ownSecurityQuery = z.strictObject(pageParameters)

const selection = {
  category: z.enum(securityCategories).optional(),
  /** A kind, a network, or a part of a name, an email address or an id. */
  search: searchText,
}
export const securitySelectionQuery = z.strictObject(selection)
export const securityQuery = z.strictObject({ ...selection, ...pageParameters })

export const ownSecurityEvent = z.object({
  id: z.string(),
  at: isoTime,
  category: z.enum(securityCategories),
  /** A kind of activity, an action of the audit log, or the code of a refusal. */
  kind: z.string(),
  /** IPv4 address or IPv6 /64 prefix. */
  network: z.string().nullable(),
  detail: z.string(),
})
export type OwnSecurityEvent = z.infer<typeof ownSecurityEvent>

const account = z.object({ id: z.string(), name: z.string() })

/** `account` is null if no account was known, or if it was deleted. */
export const securityEvent = ownSecurityEvent.extend({
  account: account.nullable(),
  /** Another account that the event is about. */
  subject: account.nullable(),
  requestId: z.string().nullable(),
})
export type SecurityEvent = z.infer<typeof securityEvent>

/** The security log, for the owner of an account and for the operator. */
export const securityLogEndpoints = {
  listOwnSecurityEvents: endpoint({
    path: '/api/account/security-log',
    access: 'account',
    summary: 'Security events of the account, newest first',
    query: ownSecurityQuery,
    response: createPageSchema(ownSecurityEvent),
  }),
  exportOwnSecurityEvents: endpoint({
    path: '/api/account/security-log.jsonl',
    access: 'account',
    recent: true,
    limit: 'costly',
    summary: 'Security events of the account as JSON lines',
    responseType: 'application/jsonl',
    response: z.string(),
  }),
  listSecurityEvents: endpoint({
    path: '/api/admin/security-log',
    permission: 'audit.read',
    summary: 'Security events of all accounts, newest first',
    query: securityQuery,
    response: createPageSchema(securityEvent),
  }),
  exportSecurityEvents: endpoint({
    path: '/api/admin/export/security-log',
    permission: 'audit.read',
    recent: true,
    limit: 'costly',
    summary: 'Security events that match search and category, newest first, as JSON lines',
    responseType: 'application/jsonl',
    query: securitySelectionQuery,
    response: z.string(),
  }),
} as const
