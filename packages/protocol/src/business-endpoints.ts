import { z } from 'zod'
import * as business from './business.ts'
import { endpoint } from './endpoint.ts'
import { done } from './primitives.ts'

/** Separate from the other endpoints because only the business page loads these schemas. */
export const businessEndpoints = {
  businessRevenue: endpoint({
    path: '/api/admin/business/revenue',
    permission: 'payments.read',
    summary: 'Revenue by day, plan and chain',
    response: business.businessRevenue,
  }),
  businessCustomers: endpoint({
    path: '/api/admin/business/customers',
    permission: 'payments.read',
    summary: 'Funnel, retention, churn, and the plans that end within 24 hours',
    response: business.businessCustomers,
  }),
  businessReach: endpoint({
    path: '/api/admin/business/reach',
    permission: 'alerts.read',
    summary: 'Delivery statistics of an alert; by default the newest critical one, else the newest',
    query: z.strictObject({ index: z.coerce.number().int().min(0).optional() }),
    response: business.businessReach,
  }),
  businessHealth: endpoint({
    path: '/api/admin/business/health',
    permission: 'alerts.read',
    summary: 'Gaps of feed, engine and anchoring in 24 hours, and alerts by type, hour and priority',
    response: business.businessHealth,
  }),
  businessTreasury: endpoint({
    path: '/api/admin/business/treasury',
    permission: 'payments.read',
    summary: 'The treasury’s balance on each chain, and the amounts that the ledger has received for it',
    response: business.businessTreasury,
  }),
  saveRate: endpoint({
    method: 'PUT',
    path: '/api/admin/business/rate',
    permission: 'payments.manage',
    summary:
      'Set the exchange rate of ITO in the operator’s currency, for display on the business page; null removes it',
    body: business.saveRateRequest,
    response: done,
  }),
} as const
