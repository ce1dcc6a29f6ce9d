import * as coupons from './coupons.ts'
import { byId, emptyBody, endpoint } from './endpoint.ts'
import { done } from './primitives.ts'

/** Separate from the other endpoints because few pages load these schemas. */
export const couponEndpoints = {
  quoteCoupon: endpoint({
    method: 'POST',
    path: '/api/coupons/quote',
    access: 'account',
    limit: 'credential',
    summary: 'Plan prices with a coupon; unknown and unusable codes get the same error',
    body: coupons.quoteCouponRequest,
    response: coupons.couponQuote,
  }),
  redeemCoupon: endpoint({
    method: 'POST',
    path: '/api/coupons/redeem',
    access: 'account',
    limit: 'credential',
    creates: true,
    summary: 'Start a plan with a coupon that pays its whole price',
    body: coupons.redeemCouponRequest,
    response: coupons.redeemCouponResponse,
  }),
  listCoupons: endpoint({
    path: '/api/admin/coupons',
    permission: 'payments.read',
    summary: 'Coupons with their uses, newest first',
    query: coupons.listCouponsQuery,
    response: coupons.couponPage,
  }),
  createCoupon: endpoint({
    method: 'POST',
    path: '/api/admin/coupons',
    permission: 'payments.manage',
    recent: true,
    creates: true,
    summary: 'Create a coupon',
    status: 201,
    body: coupons.createCouponRequest,
    response: coupons.adminCoupon,
  }),
  endCoupon: endpoint({
    method: 'POST',
    path: '/api/admin/coupons/:id/end',
    permission: 'payments.manage',
    recent: true,
    summary: 'End a coupon; orders that already have its price keep it',
    params: byId,
    body: emptyBody,
    response: done,
  }),
  grantPlan: endpoint({
    method: 'POST',
    path: '/api/admin/users/:id/grant-plan',
    permission: 'payments.manage',
    recent: true,
    creates: true,
    summary: 'Give an account a plan without a payment; it starts after the account’s other plans',
    params: byId,
    body: coupons.grantPlanRequest,
    response: done,
  }),
} as const
