import type { AnnouncedChange, endpoints, ProtectedChange } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { and, desc, gt, inArray, isNotNull, isNull, or } from 'drizzle-orm'
import { getAuditActor } from '../../audit-log.ts'
import { listConfiguredChains } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import { protectedChanges } from '../../db/schema/protected-changes.ts'
import type { Handler } from '../../http/route.ts'
import { type Account, findAccounts } from './admin-accounts.ts'
import { findApproved } from './approved-values.ts'
import type { ChangeRow } from './protected-change.ts'
import * as changes from './protected-changes.ts'

type Endpoints = typeof endpoints

const MAX_RECENT_CHANGES = 10
const ANNOUNCED_MS = 30 * DAY_MS

export const findProtectedState: Handler<Endpoints['findProtectedState']> = async (ctx) => {
  const { isOn, delayHours } = ctx.config.twoAdmins
  const rows = await ctx.db
    .select()
    .from(protectedChanges)
    // Open changes sort first, because null is greater than any time.
    .orderBy(desc(protectedChanges.endedAt), desc(protectedChanges.proposedAt))
    .limit(MAX_RECENT_CHANGES)
  const accounts = await findAccounts(
    ctx.db,
    rows.flatMap(({ proposedBy, approvedBy }) => [proposedBy, approvedBy]),
  )
  return {
    isOn,
    delayHours,
    ...(await findProtectedValues(ctx)),
    changes: rows.map((row) => presentChange(row, accounts)),
  }
}

async function findProtectedValues({ config, db, signers }: Context) {
  const approvedValues = await findApproved(db)
  const configuredTreasuries = new Map(config.twoAdmins.configured.map(({ chainId, treasury }) => [chainId, treasury]))
  const usedTreasuries = new Map(listConfiguredChains(config).map(({ chainId, treasury }) => [chainId, treasury]))
  const chainIds = [...new Set([...usedTreasuries.keys(), ...configuredTreasuries.keys()])]
  const [currentSigner, nextSigner] = signers.held
  return {
    treasuries: chainIds.map((chainId) => ({
      chainId,
      address: usedTreasuries.get(chainId) ?? null,
      approved: approvedValues?.treasuries[String(chainId)] ?? null,
      configured: configuredTreasuries.get(chainId) ?? null,
    })),
    signer: {
      address: currentSigner?.address ?? null,
      next: nextSigner?.address ?? null,
      approved: approvedValues?.signer ?? null,
    },
  }
}

function presentChange(row: ChangeRow, accounts: ReadonlyMap<string, Account>): ProtectedChange {
  const presentPerson = (id: string | null) => (id === null ? null : { id, name: accounts.get(id)?.name ?? null })
  return {
    ...presentAnnounced(row),
    id: row.id,
    reason: row.reason,
    proposedBy: row.outcome === 'forced' ? null : presentPerson(row.proposedBy),
    proposedAt: row.proposedAt.toISOString(),
    approvedBy: presentPerson(row.approvedBy),
    approvedAt: row.approvedAt?.toISOString() ?? null,
  }
}

export const proposeChange: Handler<Endpoints['proposeChange']> = async (ctx, input) => {
  await changes.proposeChange(ctx, getAuditActor(input), input.body)
  return { success: true, message: 'Proposed. Another admin has to approve it.' }
}

export const approveChange: Handler<Endpoints['approveChange']> = async (ctx, input) => {
  await changes.approveChange(ctx, getAuditActor(input), input.params.id)
  return { success: true, message: 'Approved. It takes effect after the delay, unless an admin cancels it.' }
}

export const cancelChange: Handler<Endpoints['cancelChange']> = async (ctx, input) => {
  await changes.cancelChange(ctx, getAuditActor(input), input.params.id)
  return { success: true, message: 'Cancelled. Nothing has changed.' }
}

/**
 * Returns the approved changes that are not in effect yet, and the changes that took effect
 * recently. Proposals are left out, because one admin alone could publish any address with them.
 */
export const listAnnouncedChanges: Handler<Endpoints['listAnnouncedChanges']> = async (ctx) => {
  const since = new Date(ctx.clock.now().getTime() - ANNOUNCED_MS)
  const isPublic = inArray(protectedChanges.outcome, ['applied', 'forced'])
  const rows = await ctx.db
    .select()
    .from(protectedChanges)
    .where(
      and(
        isNotNull(protectedChanges.effectiveAt),
        or(isNull(protectedChanges.endedAt), and(isPublic, gt(protectedChanges.endedAt, since))),
      ),
    )
    .orderBy(desc(protectedChanges.effectiveAt))
  return rows.map(presentAnnounced)
}

function presentAnnounced({
  kind,
  chainId,
  fromValue,
  toValue,
  effectiveAt,
  endedAt,
  outcome,
}: ChangeRow): AnnouncedChange {
  return {
    kind,
    chainId,
    from: fromValue,
    to: toValue,
    effectiveAt: effectiveAt?.toISOString() ?? null,
    endedAt: endedAt?.toISOString() ?? null,
    outcome,
  }
}
