import type { EndpointName } from '@tocsin/protocol'

/** Who may ask what, and who finds what in the answers: written down, for the test that asks everything as everybody. */

export const roles = ['anonymous', 'free', 'expired', 'active', 'other', 'admin'] as const
export type Role = (typeof roles)[number]

/** Strings that stand in every text field of three alerts: broadcast now, never broadcast, older than the public delay. */
export const FRESH = 'zqfreshqz'
export const UNSENT = 'zqunsentqz'
export const OLD = 'zqoldqz'
export const alertMarkedWith = (marker: string) => ({
  asset: `${marker}-asset`,
  summary: `${marker}-summary`,
  regime: `${marker}-regime`,
  anomalyType: `${marker}-type`,
  confidence: 90,
  priority: 'high' as const,
})

export interface Row {
  method?: 'GET' | 'POST'
  path: string | ((role: Role) => string)
  body?: (role: Role) => object
  headers?: Record<string, string>
  /** One for each of `roles`. */
  status: number[]
  /** Which alerts are found in the answers; nobody else finds any. */
  finds?: Partial<Record<Role, string[]>>
}

const everyone = (status: number) => roles.map(() => status)
const accounts = (status: number) => [401, status, status, status, status, status]
const adminOnly = (status: number) => [401, 403, 403, 403, 403, status]
/** What the alert lists give to each. */
const tiers: NonNullable<Row['finds']> = {
  free: [OLD],
  expired: [OLD],
  active: [OLD, FRESH],
  other: [OLD, FRESH],
  admin: [OLD, FRESH],
}
const noHash = `0x${'00'.repeat(32)}`

interface Scene {
  ids: Record<Role, string>
  alertIds: { fresh: string; unsent: string }
  /** Of the active subscriber. */
  walletAddress: string
}

/** A row for each call of the protocol and for whatever else the server answers. */
export function writtenMatrix({
  ids,
  alertIds,
  walletAddress,
}: Scene): Record<EndpointName, Row> & Record<string, Row> {
  const verify = (id: string) => ({
    path: '/api/alerts/verify',
    body: () => ({ alertId: id, signature: `0x${'11'.repeat(65)}`, merklePath: [], avalancheTx: '' }),
    status: everyone(200),
  })
  const email = (role: Role) => ({ email: `new-${role}@example.com` })
  return {
    register: {
      path: '/api/auth/register',
      body: (role) => ({ ...email(role), password: 'a very long password', name: 'New' }),
      status: everyone(200),
    },
    login: {
      path: '/api/auth/login',
      body: (role) => ({ ...email(role), password: 'wrong' }),
      status: everyone(401),
    },
    resendVerification: { path: '/api/auth/resend-verification', body: email, status: everyone(200) },
    forgotPassword: { path: '/api/auth/forgot-password', body: email, status: everyone(200) },
    resetPassword: {
      path: '/api/auth/reset-password',
      body: () => ({ token: 'none', newPassword: 'a very long password' }),
      status: everyone(422),
    },
    verifyEmail: { method: 'GET', path: '/api/auth/verify-email?token=none', status: everyone(200) },
    currentUser: { method: 'GET', path: '/api/auth/user', status: everyone(200) },
    createChallenge: {
      path: '/api/wallets/challenge',
      body: () => ({ walletAddress }),
      status: accounts(200),
    },
    proveWallet: {
      path: '/api/wallets/prove',
      body: () => ({ message: 'none', signature: '0x' }),
      status: accounts(422),
    },
    findWalletUser: {
      method: 'GET',
      path: `/api/users/${walletAddress}`,
      status: [401, 404, 404, 200, 404, 200],
    },
    createWalletUser: {
      path: '/api/users',
      body: () => ({ walletAddress }),
      status: [401, 403, 403, 200, 403, 403],
    },
    activeSubscription: {
      method: 'GET',
      path: `/api/subscriptions/active/${ids.active}`,
      status: [401, 404, 404, 200, 404, 200],
    },
    subscribe: {
      path: '/api/subscriptions',
      body: () => ({ planType: '6h', transactionHash: noHash }),
      status: [401, 403, 422, 409, 409, 403],
    },
    recentAlerts: { method: 'GET', path: '/api/alerts/recent?limit=100', status: accounts(200), finds: tiers },
    userAlerts: {
      method: 'GET',
      path: `/api/alerts/user/${ids.active}`,
      status: [401, 404, 404, 200, 404, 200],
      finds: { active: [OLD, FRESH], admin: [OLD, FRESH] },
    },
    'userAlerts of oneself': {
      method: 'GET',
      path: (role) => `/api/alerts/user/${ids[role]}`,
      status: accounts(200),
      finds: tiers,
    },
    markAlertsRead: {
      path: '/api/alerts/read',
      body: () => ({ ids: [alertIds.fresh, alertIds.unsent] }),
      status: accounts(200),
    },
    verifyAlert: verify(alertIds.fresh),
    'verifyAlert of what was not sent': verify(alertIds.unsent),
    listAlerts: {
      method: 'GET',
      path: '/api/alerts',
      status: adminOnly(200),
      finds: { admin: [OLD, FRESH, UNSENT] },
    },
    createAlert: {
      path: '/api/alerts',
      body: () => ({ ...alertMarkedWith('plain'), broadcast: false }),
      status: adminOnly(201),
    },
    broadcastAlert: {
      path: '/api/alerts/00000000-0000-0000-0000-000000000000/broadcast',
      body: () => ({}),
      status: adminOnly(404),
    },
    adminStats: { method: 'GET', path: '/api/admin/stats', status: adminOnly(200) },
    chainConfig: { method: 'GET', path: '/api/config/chain', status: everyone(200) },
    publicConfig: { method: 'GET', path: '/api/config', status: everyone(200) },
    systemStatus: { method: 'GET', path: '/api/status', status: accounts(200) },
    logHead: { method: 'GET', path: '/api/log/head', status: everyone(200) },
    listActivity: { method: 'GET', path: '/api/activity', status: accounts(200) },
    '/healthz': { method: 'GET', path: '/healthz', status: everyone(200) },
    '/readyz': { method: 'GET', path: '/readyz', status: everyone(200) },
    '/metrics': { method: 'GET', path: '/metrics', status: everyone(403) },
    '/metrics with the token': {
      method: 'GET',
      path: '/metrics',
      headers: { authorization: 'Bearer for the test alone' },
      status: everyone(200),
    },
    '/openapi.json': { method: 'GET', path: '/openapi.json', status: everyone(200) },
    '/ws without an upgrade': { method: 'GET', path: '/ws', status: everyone(404) },
    '/dev/outbox.json of the demo': { method: 'GET', path: '/dev/outbox.json', status: everyone(404) },
    '/dev/chain of the demo': { path: '/dev/chain', body: () => ({}), status: everyone(404) },
    'no such path': { method: 'GET', path: '/api/alerts/latest', status: everyone(404) },
    'a page': { method: 'GET', path: '/', headers: { accept: 'text/html' }, status: everyone(404) },
    // The last one: it ends the sessions.
    logout: { path: '/api/auth/logout', body: () => ({}), status: everyone(200) },
  }
}
