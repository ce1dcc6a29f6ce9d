import { type AdminCoupon, type endpoints, getPlan } from '@tocsin/protocol'
import { getAuditActor, recordAudit } from '../../audit-log.ts'
import { createPage } from '../../http/cursor.ts'
import type { Handler } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { lockNamedAccount } from '../sessions/service.ts'
import { grantMail } from '../subscriptions/adjustment-mails.ts'
import { startGrantedPeriod } from '../subscriptions/service.ts'
import { createRandomCode, getCouponState } from './coupon.ts'
import * as store from './store.ts'

type Endpoints = typeof endpoints

export const listCoupons: Handler<Endpoints['listCoupons']> = async (ctx, { query: { cursor, limit } }) => {
  const rows = await store.listCoupons(ctx.db, cursor, limit + 1, ctx.clock.now())
  const { items, nextCursor } = createPage(rows, limit, (row) => row.coupon.id)
  return { items: items.map((row) => presentCoupon(row, ctx.clock.now())), nextCursor }
}

export const createCoupon: Handler<Endpoints['createCoupon']> = async (ctx, input) => {
  const { code = createRandomCode(), percent, amountWei, planTypes, expiresAt, ...rest } = input.body
  const at = ctx.clock.now()
  if (new Date(expiresAt) <= at) throw new Refusal('malformed', 'The expiry must be in the future.')
  const by = getAuditActor(input)
  return ctx.db.transaction(async (tx) => {
    const coupon = await store.insertCoupon(tx, {
      ...rest,
      code,
      percent: percent ?? null,
      amountWei: amountWei === undefined ? null : BigInt(amountWei),
      planIds: [...new Set(planTypes)],
      expiresAt: new Date(expiresAt),
      createdAt: at,
      createdBy: by.actorId,
    })
    if (!coupon) throw new Refusal('coupon_code_taken', 'There is a coupon with this code. Choose another code.')
    await recordAudit(tx, {
      ...by,
      action: 'coupon_created',
      subject: coupon.id,
      detail: {
        code,
        percent: coupon.percent,
        amountWei: coupon.amountWei?.toString() ?? null,
        plans: coupon.planIds.join(' '),
        maxUses: coupon.maxUses,
        maxUsesPerAccount: coupon.maxUsesPerAccount,
        expiresAt,
      },
      at,
    })
    const createdCoupon = await store.findListedCoupon(tx, coupon.id, at)
    if (!createdCoupon) throw new Error('The coupon was not stored')
    return presentCoupon(createdCoupon, at)
  })
}

export const endCoupon: Handler<Endpoints['endCoupon']> = async (ctx, input) => {
  const { id } = input.params
  const at = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    const foundCoupon = isUuid(id) ? await store.findListedCoupon(tx, id, at) : null
    if (!foundCoupon) throw new Refusal('not_found', 'Coupon not found.')
    const endedCoupon = await store.endCoupon(tx, id, at)
    if (!endedCoupon) throw new Refusal('already_resolved', 'This coupon has already ended.')
    await recordAudit(tx, {
      ...getAuditActor(input),
      action: 'coupon_ended',
      subject: id,
      detail: { code: endedCoupon.code },
      at,
    })
  })
  return { success: true, message: 'The coupon has ended. Orders that already have its price keep it.' }
}

export const grantPlan: Handler<Endpoints['grantPlan']> = async (ctx, input) => {
  const { planType: planId, reason } = input.body
  const accountId = input.params.id
  const at = ctx.clock.now()
  const { name, priceWei } = getPlan(planId)
  await ctx.db.transaction(async (tx) => {
    const { email } = await lockNamedAccount(tx, accountId)
    const grantId = await store.insertGrant(tx, { accountId, planId, listPriceWei: priceWei, createdAt: at })
    const period = await startGrantedPeriod(ctx, tx, { accountId, planId, grantId })
    await recordAudit(tx, {
      ...getAuditActor(input),
      action: 'plan_granted',
      subject: accountId,
      reason,
      detail: { plan: planId, endsAt: period.endsAt.toISOString() },
      at,
    })
    if (email) await ctx.sendMail(tx, grantMail(email, name, period.startsAt, period.endsAt))
  })
  return { success: true, message: `The account has received ${name} of live alerts.` }
}

function presentCoupon(row: store.ListedCoupon, now: Date): AdminCoupon {
  const { coupon, creatorName, used, reserved, discountWei } = row
  return {
    id: coupon.id,
    code: coupon.code,
    state: getCouponState(coupon, used, now),
    percent: coupon.percent,
    amountWei: coupon.amountWei?.toString() ?? null,
    planTypes: coupon.planIds,
    maxUses: coupon.maxUses,
    maxUsesPerAccount: coupon.maxUsesPerAccount,
    used,
    reserved,
    discountWei,
    note: coupon.note,
    createdAt: coupon.createdAt.toISOString(),
    createdBy: creatorName,
    expiresAt: coupon.expiresAt.toISOString(),
    endedAt: coupon.endedAt?.toISOString() ?? null,
  }
}
