import { allAlerts, type Endpoint, type EndpointName, endpoints, examples, type Permission } from '@tocsin/protocol'

/**
 * The access matrix: for each route and role, the expected status and the alerts that the response
 * may contain. `access.test.ts` makes every request as every role and compares the responses with
 * the matrix.
 */

/** The callers for which each row lists a status. The owner stands for all staff. */
const columns = ['anonymous', 'free', 'expired', 'active', 'other', 'owner'] as const
export const staffRoles = ['owner', 'admin', 'publisher', 'support', 'auditor'] as const
export const roles = [...columns, 'admin', 'publisher', 'support', 'auditor'] as const
export type Role = (typeof roles)[number]

/**
 * The roles that have each permission. Repeats the product's table, so that a change of that table
 * makes a test fail.
 */
export const holders: Record<Permission, string> = {
  'alerts.read': 'owner admin publisher auditor',
  'alerts.publish': 'owner admin publisher',
  'users.read': 'owner admin support auditor',
  'users.manage': 'owner admin support',
  'staff.manage': 'owner admin',
  'roles.change': 'owner',
  'payments.read': 'owner admin auditor',
  'payments.manage': 'owner admin',
  'letters.read': 'owner admin support auditor',
  'letters.answer': 'owner admin support',
  'outreach.read': 'owner admin support auditor',
  'outreach.send': 'owner admin',
  'settings.read': 'owner admin auditor',
  'settings.change': 'owner admin',
  'audit.read': 'owner admin auditor',
}

/**
 * Markers that are in every text field of three alerts: a fresh broadcast alert, a draft, and an
 * alert older than the public delay.
 */
export const FRESH_MARKER = 'zqfreshqz'
export const UNSENT_MARKER = 'zqunsentqz'
export const OLD = 'zqoldqz'
/** Marker of an alert that is scheduled for later. */
export const SCHEDULED_MARKER = 'zqscheduledqz'
export const alertMarkedWith = (marker: string) => ({
  asset: `${marker}-asset`,
  summary: `${marker}-summary`,
  regime: `${marker}-regime`,
  anomalyType: `${marker}-type`,
  confidence: 90,
  priority: 'high' as const,
})

export interface AccessRow {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string | ((role: Role) => string)
  body?: (role: Role) => object
  headers?: Record<string, string>
  /** One status per role, in the order of `columns`. `expandRow` adds the other staff. */
  status: number[]
  /**
   * Permissions for which staff get the response of the owner. Staff without them get the response
   * of the free account. Ignored if the endpoint declares a permission. Default: `alerts.read`.
   */
  needs?: Permission[]
  /**
   * The markers that the response contains, by role. The responses to other roles must contain
   * none.
   */
  finds?: Partial<Record<Role, string[]>>
}

const everyone = (status: number) => columns.map(() => status)
const accountsOnly = (status: number) => [401, status, status, status, status, status]
const adminOnly = (status: number) => [401, 403, 403, 403, 403, status]
/**
 * Statuses for calls that need a recent sign-in: the expired role signed in a day ago and must
 * confirm first.
 */
const recentOnly = (status: number) => [401, status, 403, status, status, status]
/** The markers of the alerts that lists return to each role. */
const markersByRole: NonNullable<AccessRow['finds']> = {
  free: [OLD],
  expired: [OLD],
  active: [OLD, FRESH_MARKER],
  other: [OLD, FRESH_MARKER],
  owner: [OLD, FRESH_MARKER],
}
const unknownId = '00000000-0000-0000-0000-000000000000'
const zeroHash = `0x${'00'.repeat(32)}`

interface Fixture {
  ids: Record<Role, string>
  alertIds: Record<'old' | 'fresh' | 'unsent', string>
  alertIndexes: Record<'old' | 'fresh' | 'unsent', number>
  /** Wallet of the active subscriber. */
  walletAddress: string
}

/**
 * Returns the row with a status and the expected markers for each of `roles`. Other staff get the
 * response of the owner if they have the permissions, otherwise that of a caller without rights.
 */
export function expandRow(name: string, row: AccessRow): { status: number[]; finds: Partial<Record<Role, string[]>> } {
  const endpoint: Endpoint | undefined = Object.entries(endpoints).find(
    ([endpointName]) => endpointName === name.split(' ')[0],
  )?.[1]
  const needs: readonly Permission[] = endpoint?.permission ? [endpoint.permission] : (row.needs ?? ['alerts.read'])
  const otherRows = staffRoles.slice(1).map((role) => {
    const like = needs.every((permission) => holders[permission].split(' ').includes(role)) ? 'owner' : 'free'
    return { role, like, status: row.status[columns.indexOf(like)] ?? 0 } as const
  })
  const finds = {
    ...row.finds,
    ...Object.fromEntries(otherRows.map(({ role, like }) => [role, row.finds?.[like] ?? []])),
  }
  return {
    status: [...row.status, ...otherRows.map(({ status }) => status)],
    finds: Object.fromEntries(Object.entries(finds).filter(([, markers]) => markers.length > 0)),
  }
}

/** Returns one row per endpoint of the protocol, and rows for other paths of the server. */
export function createAccessMatrix({
  ids,
  alertIds,
  alertIndexes,
  walletAddress,
}: Fixture): Record<EndpointName, AccessRow> & Record<string, AccessRow> {
  const verify = (id: string) => ({
    path: '/api/alerts/verify',
    body: () => ({ alertId: id, signature: `0x${'11'.repeat(65)}`, merklePath: [], avalancheTx: '' }),
    status: everyone(200),
  })
  const message = { via: 'mail', kind: 'news', segment: { kind: 'all' }, subject: 'News', text: 'Hello' }
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
      status: everyone(400),
    },
    checkResetLink: {
      path: '/api/auth/reset-password/check',
      body: () => ({ token: 'none' }),
      status: everyone(200),
    },
    verifyEmail: { method: 'GET', path: '/api/auth/verify-email?token=none', status: everyone(200) },
    currentUser: { method: 'GET', path: '/api/auth/user', status: everyone(200) },
    googleSignIn: { method: 'GET', path: '/api/auth/google', status: everyone(302) },
    googleCallback: { method: 'GET', path: '/api/auth/google/callback?code=none&state=none', status: everyone(302) },
    linkedinSignIn: { method: 'GET', path: '/api/auth/linkedin', status: everyone(302) },
    linkedinCallback: {
      method: 'GET',
      path: '/api/auth/linkedin/callback?code=none&state=none',
      status: everyone(302),
    },
    walletSignInChallenge: {
      path: '/api/auth/wallet/challenge',
      body: () => ({ walletAddress }),
      status: everyone(200),
    },
    walletSignIn: {
      path: '/api/auth/wallet',
      body: () => ({ message: 'none', signature: '0x' }),
      status: everyone(422),
    },
    confirm: { path: '/api/auth/confirm', body: () => ({ password: 'wrong' }), status: accountsOnly(401) },
    confirmWallet: {
      path: '/api/auth/confirm-wallet',
      body: () => ({ message: 'none', signature: '0x' }),
      status: accountsOnly(422),
    },
    checkConfirmed: { method: 'GET', path: '/api/auth/confirm', status: recentOnly(200) },
    unlinkIdentity: { method: 'DELETE', path: '/api/account/identities/google', status: recentOnly(404) },
    unlinkWallet: {
      method: 'DELETE',
      path: `/api/wallets/0x${'0'.repeat(39)}1`,
      status: recentOnly(404),
    },
    completeSignIn: { path: '/api/auth/factor', body: () => ({ code: '000000' }), status: everyone(401) },
    confirmFactor: { path: '/api/auth/confirm-factor', body: () => ({ code: '000000' }), status: accountsOnly(422) },
    findFactors: { method: 'GET', path: '/api/account/factors', status: accountsOnly(200) },
    startTotp: { path: '/api/account/factors/totp', body: () => ({}), status: recentOnly(200) },
    confirmTotp: {
      path: '/api/account/factors/totp/confirm',
      body: () => ({ code: 'none' }),
      status: recentOnly(422),
    },
    // Accounts without a staff role have no enrolment code, because they do not need one.
    useEnrolmentCode: {
      path: '/api/account/factors/enrolment',
      body: () => ({ code: 'none' }),
      status: accountsOnly(422),
    },
    issueEnrolmentCode: { path: `/api/admin/users/${unknownId}/enrolment-code`, status: adminOnly(404) },
    removeTotp: { method: 'DELETE', path: '/api/account/factors/totp', status: recentOnly(404) },
    replaceRecoveryCodes: { path: '/api/account/factors/recovery-codes', body: () => ({}), status: recentOnly(404) },
    passkeySignInOptions: { path: '/api/auth/passkey/options', body: () => ({}), status: everyone(200) },
    passkeySignIn: {
      path: '/api/auth/passkey',
      body: () => ({ response: examples.passkeySignIn?.body?.response }),
      status: everyone(422),
    },
    passkeyConfirmOptions: { path: '/api/auth/confirm-passkey/options', body: () => ({}), status: accountsOnly(200) },
    confirmPasskey: {
      path: '/api/auth/confirm-passkey',
      body: () => ({ response: examples.confirmPasskey?.body?.response }),
      status: accountsOnly(422),
    },
    passkeyOptions: { path: '/api/account/passkeys/options', body: () => ({}), status: recentOnly(200) },
    addPasskey: {
      path: '/api/account/passkeys',
      body: () => ({ ...examples.addPasskey?.body }),
      status: recentOnly(422),
    },
    renamePasskey: {
      method: 'PUT',
      path: '/api/account/passkeys/AQIDBA',
      body: () => ({ name: 'New' }),
      status: accountsOnly(404),
    },
    removePasskey: { method: 'DELETE', path: '/api/account/passkeys/AQIDBA', status: recentOnly(404) },
    cancelFactorReset: {
      path: '/api/auth/cancel-factor-reset',
      body: () => ({ token: 'none' }),
      status: everyone(400),
    },
    cancelOwnFactorReset: { method: 'DELETE', path: '/api/account/factors/reset', status: accountsOnly(404) },
    requestFactorReset: {
      path: `/api/admin/users/${unknownId}/factor-reset`,
      body: () => ({ reason: 'none' }),
      status: adminOnly(404),
    },
    cancelUserFactorReset: {
      method: 'DELETE',
      path: `/api/admin/users/${unknownId}/factor-reset`,
      status: adminOnly(404),
    },
    createFirstAdmin: {
      path: '/api/auth/first-admin',
      body: (role) => ({ ...email(role), token: 'none', name: 'Nobody', password: 'a very long password' }),
      status: everyone(400),
    },
    listSessions: { method: 'GET', path: '/api/auth/sessions', status: accountsOnly(200) },
    endSession: { method: 'DELETE', path: '/api/auth/sessions/none', status: accountsOnly(404) },
    endOtherSessions: { path: '/api/auth/sessions/end-others', body: () => ({}), status: accountsOnly(200) },
    findAccount: { method: 'GET', path: '/api/account', status: accountsOnly(200) },
    changeName: {
      method: 'PUT',
      path: '/api/account/name',
      body: (role) => ({ name: role }),
      status: accountsOnly(200),
    },
    changeEmail: {
      method: 'PUT',
      path: '/api/account/email',
      body: () => ({ email: 'no address' }),
      status: recentOnly(400),
    },
    changePassword: {
      method: 'PUT',
      path: '/api/account/password',
      body: () => ({ newPassword: 'short' }),
      status: accountsOnly(400),
    },
    exportAccount: { method: 'GET', path: '/api/account/export', status: recentOnly(200) },
    deleteAccount: { path: '/api/account/delete', body: () => ({ confirmation: 'no' }), status: recentOnly(400) },
    createChallenge: {
      path: '/api/wallets/challenge',
      body: () => ({ walletAddress }),
      status: recentOnly(200),
    },
    proveWallet: {
      path: '/api/wallets/prove',
      body: () => ({ message: 'none', signature: '0x' }),
      status: accountsOnly(422),
    },
    findWalletUser: {
      method: 'GET',
      path: `/api/users/${walletAddress}`,
      needs: ['users.read'],
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
      needs: ['payments.read'],
      status: [401, 404, 404, 200, 404, 200],
    },
    findReceipt: { method: 'GET', path: `/api/subscriptions/${unknownId}/receipt`, status: accountsOnly(404) },
    subscribe: {
      path: '/api/subscriptions',
      body: () => ({ planType: '6h', transactionHash: zeroHash }),
      status: [401, 403, 422, 409, 409, 403],
    },
    createOrder: {
      path: '/api/orders',
      body: () => ({ planType: '6h', walletAddress }),
      status: [401, 403, 403, 409, 403, 403],
    },
    listOrders: { method: 'GET', path: '/api/orders', status: accountsOnly(200) },
    findOrder: { method: 'GET', path: `/api/orders/${unknownId}`, status: accountsOnly(404) },
    reportOrderTransaction: {
      path: `/api/orders/${unknownId}/transaction`,
      body: () => ({ transactionHash: zeroHash }),
      status: accountsOnly(404),
    },
    cancelOrder: { path: `/api/orders/${unknownId}/cancel`, body: () => ({}), status: accountsOnly(404) },
    recentAlerts: {
      method: 'GET',
      path: '/api/alerts/recent?limit=100',
      status: everyone(200),
      finds: { ...markersByRole, anonymous: [OLD] },
    },
    publicAlerts: {
      method: 'GET',
      path: '/api/alerts/public?limit=100',
      status: everyone(200),
      finds: { anonymous: [OLD], free: [OLD], expired: [OLD], active: [OLD], other: [OLD], owner: [OLD] },
    },
    alertSignal: {
      method: 'GET',
      path: `/api/alerts/${alertIds.fresh}/signal`,
      status: [404, 404, 404, 200, 200, 200],
      finds: { active: [FRESH_MARKER], other: [FRESH_MARKER], owner: [FRESH_MARKER] },
    },
    'alertSignal of a draft': {
      method: 'GET',
      path: `/api/alerts/${alertIds.unsent}/signal`,
      status: [404, 404, 404, 404, 404, 200],
      finds: { owner: [UNSENT_MARKER] },
    },
    'alertSignal of a public alert': {
      method: 'GET',
      path: `/api/alerts/${alertIds.old}/signal`,
      status: everyone(200),
      finds: Object.fromEntries(columns.map((role) => [role, [OLD]])),
    },
    'alertSignal of an unknown id': { method: 'GET', path: `/api/alerts/${unknownId}/signal`, status: everyone(404) },
    alertSignals: {
      method: 'GET',
      path: `/api/alerts/signals?ids=${[...Object.values(alertIds), unknownId, 'no-id'].join()}`,
      status: everyone(200),
      finds: { ...markersByRole, anonymous: [OLD], owner: [OLD, FRESH_MARKER, UNSENT_MARKER] },
    },
    'alertSignals of too many ids': {
      method: 'GET',
      path: `/api/alerts/signals?ids=${Array.from({ length: 101 }, () => '1').join()}`,
      status: everyone(400),
    },
    // Live prices and progress need a plan, even for public alerts.
    alertProgress: {
      method: 'GET',
      path: `/api/alerts/${alertIds.fresh}/progress`,
      status: [401, 404, 404, 200, 200, 200],
    },
    'alertProgress of a draft': {
      method: 'GET',
      path: `/api/alerts/${alertIds.unsent}/progress`,
      status: [401, 404, 404, 404, 404, 200],
    },
    'alertProgress of a public alert': {
      method: 'GET',
      path: `/api/alerts/${alertIds.old}/progress`,
      status: [401, 404, 404, 200, 200, 200],
    },
    'alertProgress of an unknown id': {
      method: 'GET',
      path: `/api/alerts/${unknownId}/progress`,
      status: accountsOnly(404),
    },
    marketCandles: {
      method: 'GET',
      path: '/api/market/candles?venue=zqliveqz&market=BTC%2FUSDT&from=60&to=120',
      status: accountsOnly(200),
    },
    'marketCandles of two days': {
      method: 'GET',
      path: '/api/market/candles?venue=zqliveqz&market=BTC%2FUSDT&from=0&to=86401',
      status: accountsOnly(400),
    },
    livePrices: { method: 'GET', path: '/api/market/prices', status: accountsOnly(200) },
    alertBundle: {
      method: 'GET',
      path: `/api/alerts/${alertIds.fresh}/bundle`,
      status: [404, 404, 404, 200, 200, 200],
      finds: { active: [FRESH_MARKER], other: [FRESH_MARKER], owner: [FRESH_MARKER] },
    },
    'alertBundle of a draft': {
      method: 'GET',
      path: `/api/alerts/${alertIds.unsent}/bundle`,
      status: [404, 404, 404, 404, 404, 200],
      finds: { owner: [UNSENT_MARKER] },
    },
    'alertBundle of a public alert': {
      method: 'GET',
      path: `/api/alerts/${alertIds.old}/bundle`,
      status: everyone(200),
      finds: Object.fromEntries(columns.map((role) => [role, [OLD]])),
    },
    alertAt: {
      method: 'GET',
      path: `/api/alerts/at/${alertIndexes.fresh}`,
      status: everyone(200),
      finds: { active: [FRESH_MARKER], other: [FRESH_MARKER], owner: [FRESH_MARKER] },
    },
    'alertAt of a draft': { method: 'GET', path: `/api/alerts/at/${alertIndexes.unsent}`, status: everyone(404) },
    'alertAt of a public alert': {
      method: 'GET',
      path: `/api/alerts/at/${alertIndexes.old}`,
      status: everyone(200),
      finds: Object.fromEntries(columns.map((role) => [role, [OLD]])),
    },
    'alertAt of a key list': { method: 'GET', path: '/api/alerts/at/0', status: everyone(404) },
    openSharedAlert: {
      path: `/api/alerts/at/${alertIndexes.fresh}/shared`,
      body: () => ({ token: 'unknown' }),
      status: everyone(200),
      finds: { active: [FRESH_MARKER], other: [FRESH_MARKER], owner: [FRESH_MARKER] },
    },
    shareAlert: { path: `/api/alerts/${alertIds.fresh}/share`, status: [401, 404, 404, 200, 200, 200] },
    'shareAlert of a draft': { path: `/api/alerts/${alertIds.unsent}/share`, status: accountsOnly(404) },
    'shareAlert of a public alert': { path: `/api/alerts/${alertIds.old}/share`, status: accountsOnly(200) },
    endShares: {
      method: 'DELETE',
      path: `/api/alerts/${alertIds.fresh}/share`,
      status: [401, 404, 404, 200, 200, 200],
    },
    alertPulse: { method: 'GET', path: '/api/alerts/pulse', status: everyone(200) },
    userAlerts: {
      method: 'GET',
      path: `/api/alerts/user/${ids.active}`,
      needs: ['alerts.read', 'users.read'],
      status: [401, 404, 404, 200, 404, 200],
      finds: { active: [OLD, FRESH_MARKER], owner: [OLD, FRESH_MARKER] },
    },
    'userAlerts of an unknown id': {
      method: 'GET',
      path: `/api/alerts/user/${unknownId}`,
      status: accountsOnly(404),
    },
    'userAlerts of the caller': {
      method: 'GET',
      path: (role) => `/api/alerts/user/${ids[role]}`,
      status: accountsOnly(200),
      finds: markersByRole,
    },
    searchAlerts: {
      method: 'GET',
      path: '/api/alerts/search?limit=100',
      status: accountsOnly(200),
      finds: markersByRole,
    },
    'searchAlerts for text of a fresh alert': {
      method: 'GET',
      path: `/api/alerts/search?q=${FRESH_MARKER}`,
      status: accountsOnly(200),
      finds: { active: [FRESH_MARKER], other: [FRESH_MARKER], owner: [FRESH_MARKER] },
    },
    'searchAlerts for text of a draft': {
      method: 'GET',
      path: `/api/alerts/search?q=${UNSENT_MARKER}`,
      status: accountsOnly(200),
    },
    alertFacets: { method: 'GET', path: '/api/alerts/facets', status: accountsOnly(200), finds: markersByRole },
    exportAlertsCsv: { method: 'GET', path: '/api/alerts/export.csv', status: accountsOnly(200), finds: markersByRole },
    exportAlertsJson: {
      method: 'GET',
      path: '/api/alerts/export.json',
      status: accountsOnly(200),
      finds: markersByRole,
    },
    unreadAlerts: { method: 'GET', path: '/api/alerts/unread', status: accountsOnly(200) },
    markAllRead: { path: '/api/alerts/read-all', body: () => ({ upTo: 1_000_000 }), status: accountsOnly(200) },
    unmarkAllRead: { method: 'DELETE', path: `/api/alerts/read-all/${unknownId}`, status: accountsOnly(404) },
    markAlertsRead: {
      path: '/api/alerts/read',
      body: () => ({ ids: [alertIds.fresh, alertIds.unsent] }),
      status: accountsOnly(200),
    },
    verifyAlert: verify(alertIds.fresh),
    'verifyAlert of a draft': verify(alertIds.unsent),
    listAlerts: {
      method: 'GET',
      path: '/api/alerts',
      status: adminOnly(200),
      finds: { owner: [OLD, FRESH_MARKER, UNSENT_MARKER] },
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
    correctAlert: {
      path: '/api/alerts/00000000-0000-0000-0000-000000000000/correct',
      body: () => ({ ...alertMarkedWith('plain'), broadcast: false }),
      status: adminOnly(404),
    },
    retractAlert: {
      path: '/api/alerts/00000000-0000-0000-0000-000000000000/retract',
      body: () => ({ reason: 'A reason', broadcast: false }),
      status: adminOnly(404),
    },
    adminStats: { method: 'GET', path: '/api/admin/stats', status: adminOnly(200) },
    listUsers: { method: 'GET', path: '/api/admin/users', status: adminOnly(200) },
    countUsers: { method: 'GET', path: '/api/admin/users/counts', status: adminOnly(200) },
    findUser: { method: 'GET', path: `/api/admin/users/${ids.active}`, status: adminOnly(200) },
    listUserTimeline: { method: 'GET', path: `/api/admin/users/${ids.active}/timeline`, status: adminOnly(200) },
    extendSubscription: {
      path: `/api/admin/users/${ids.free}/extend-subscription`,
      body: () => ({ additionalHours: 1 }),
      status: adminOnly(409),
    },
    cancelSubscription: { path: `/api/admin/users/${ids.free}/cancel-subscription`, status: adminOnly(409) },
    quoteCoupon: { path: '/api/coupons/quote', body: () => ({ couponCode: 'UNKNOWN' }), status: accountsOnly(422) },
    redeemCoupon: {
      path: '/api/coupons/redeem',
      body: () => ({ couponCode: 'UNKNOWN', planType: '6h' }),
      status: accountsOnly(422),
    },
    listCoupons: { method: 'GET', path: '/api/admin/coupons', status: adminOnly(200) },
    createCoupon: {
      path: '/api/admin/coupons',
      body: () => ({
        percent: 10,
        planTypes: ['6h'],
        maxUses: 1,
        maxUsesPerAccount: 1,
        expiresAt: '2000-01-01T00:00:00.000Z',
        note: 'Launch',
      }),
      status: adminOnly(400),
    },
    listScheduledAlerts: {
      method: 'GET',
      path: '/api/admin/scheduled-alerts',
      status: adminOnly(200),
      finds: { owner: [SCHEDULED_MARKER] },
    },
    scheduleAlert: {
      path: '/api/admin/scheduled-alerts',
      body: () => ({ ...alertMarkedWith('plain'), issueAt: '2000-01-01T00:00:00.000Z' }),
      status: adminOnly(422),
    },
    changeScheduledAlert: {
      method: 'PUT',
      path: `/api/admin/scheduled-alerts/${unknownId}`,
      body: () => ({ ...alertMarkedWith('plain'), issueAt: '2036-01-01T00:00:00.000Z' }),
      status: adminOnly(404),
    },
    cancelScheduledAlert: { path: `/api/admin/scheduled-alerts/${unknownId}/cancel`, status: adminOnly(404) },
    listLetters: { method: 'GET', path: '/api/admin/letters', status: adminOnly(200) },
    findLetter: { method: 'GET', path: '/api/admin/letters/999999', status: adminOnly(404) },
    answerLetter: {
      path: '/api/admin/letters/999999/answer',
      body: () => ({ text: 'It ends at noon.' }),
      status: adminOnly(404),
    },
    noteLetter: { path: '/api/admin/letters/999999/note', body: () => ({ text: 'A note' }), status: adminOnly(404) },
    changeLetter: {
      method: 'PUT',
      path: '/api/admin/letters/999999',
      body: () => ({ state: 'closed' }),
      status: adminOnly(404),
    },
    findAnnouncements: { method: 'GET', path: '/api/announcements', status: everyone(200) },
    listAnnouncements: { method: 'GET', path: '/api/admin/announcements', status: adminOnly(200) },
    createAnnouncement: {
      path: '/api/admin/announcements',
      body: () => ({ text: 'Maintenance', audience: 'all', onPublicPages: false, until: '2000-01-01T00:00:00.000Z' }),
      status: adminOnly(400),
    },
    endAnnouncement: { path: `/api/admin/announcements/${unknownId}/end`, status: adminOnly(404) },
    previewMessage: { path: '/api/admin/messages/preview', body: () => message, status: adminOnly(200) },
    listMessages: { method: 'GET', path: '/api/admin/messages', status: adminOnly(200) },
    createMessage: {
      path: '/api/admin/messages',
      body: () => ({ ...message, count: 999_999 }),
      status: adminOnly(409),
    },
    cancelMessage: { path: `/api/admin/messages/${unknownId}/cancel`, status: adminOnly(404) },
    endCoupon: { path: `/api/admin/coupons/${unknownId}/end`, status: adminOnly(404) },
    grantPlan: {
      path: `/api/admin/users/${unknownId}/grant-plan`,
      body: () => ({ planType: '6h', reason: 'A trial' }),
      status: adminOnly(404),
    },
    suspendUser: {
      path: `/api/admin/users/${unknownId}/suspend`,
      body: () => ({ reason: 'none' }),
      status: adminOnly(404),
    },
    unsuspendUser: {
      path: `/api/admin/users/${unknownId}/unsuspend`,
      body: () => ({ reason: 'none' }),
      status: adminOnly(404),
    },
    endUserSessions: { path: `/api/admin/users/${unknownId}/end-sessions`, body: () => ({}), status: adminOnly(404) },
    endUserSession: {
      method: 'DELETE',
      path: `/api/admin/users/${unknownId}/sessions/none`,
      status: adminOnly(404),
    },
    changeRole: {
      method: 'PUT',
      path: `/api/admin/users/${ids.owner}/role`,
      body: () => ({ role: 'user', reason: 'none' }),
      status: adminOnly(409),
    },
    exportUsers: { method: 'GET', path: '/api/admin/export/users', status: adminOnly(200) },
    listUnmatchedPayments: { method: 'GET', path: '/api/admin/payments/unmatched', status: adminOnly(200) },
    resolveUnmatchedPayment: {
      path: `/api/admin/payments/unmatched/${unknownId}/resolve`,
      body: () => ({ action: 'ignore', reason: 'none' }),
      status: adminOnly(404),
    },
    businessRevenue: { method: 'GET', path: '/api/admin/business/revenue', status: adminOnly(200) },
    businessCustomers: { method: 'GET', path: '/api/admin/business/customers', status: adminOnly(200) },
    businessReach: {
      method: 'GET',
      path: '/api/admin/business/reach',
      status: adminOnly(200),
      finds: { owner: [FRESH_MARKER] },
    },
    businessHealth: {
      method: 'GET',
      path: '/api/admin/business/health',
      status: adminOnly(200),
      finds: { owner: [OLD, FRESH_MARKER] },
    },
    businessTreasury: { method: 'GET', path: '/api/admin/business/treasury', status: adminOnly(200) },
    saveRate: {
      method: 'PUT',
      path: '/api/admin/business/rate',
      body: () => ({ rate: null }),
      status: adminOnly(200),
    },
    listPayments: { method: 'GET', path: '/api/admin/payments', status: adminOnly(200) },
    exportPayments: { method: 'GET', path: '/api/admin/export/payments', status: adminOnly(200) },
    recordRefund: {
      path: `/api/admin/payments/${unknownId}/refund`,
      body: () => ({ transactionHash: zeroHash }),
      status: adminOnly(404),
    },
    listAdminOrders: { method: 'GET', path: '/api/admin/orders', status: adminOnly(200) },
    resolveOrder: {
      path: `/api/admin/orders/${unknownId}/resolve`,
      body: () => ({ action: 'ignore', reason: 'none' }),
      status: adminOnly(404),
    },
    findReconciliation: { method: 'GET', path: '/api/admin/payments/reconciliation', status: adminOnly(200) },
    startReconciliation: { path: '/api/admin/payments/reconciliation', body: () => ({}), status: adminOnly(200) },
    findChainSetting: { method: 'GET', path: '/api/admin/settings/chain_id', status: adminOnly(200) },
    changeChain: {
      method: 'PUT',
      path: '/api/admin/settings/chain_id',
      body: () => ({ value: '31337', description: '' }),
      status: adminOnly(409),
    },
    findFeedConfig: { method: 'GET', path: '/api/admin/websocket/config', status: adminOnly(200) },
    saveFeedConfig: {
      method: 'PUT',
      path: '/api/admin/websocket/config',
      body: () => ({ externalEndpoint: 'http://x', reconnectInterval: 5, maxRetries: 1, isEnabled: true }),
      status: adminOnly(422),
    },
    testFeed: { path: '/api/admin/websocket/test', body: () => ({}), status: adminOnly(422) },
    findEngineStatus: { method: 'GET', path: '/api/admin/engine', status: adminOnly(200) },
    listRefusedSignals: { method: 'GET', path: '/api/admin/feed/refused', status: adminOnly(200) },
    pageAlerts: {
      method: 'GET',
      path: '/api/admin/alerts',
      status: adminOnly(200),
      finds: { owner: [OLD, FRESH_MARKER, UNSENT_MARKER] },
    },
    countRecipients: { method: 'GET', path: '/api/admin/recipients', status: adminOnly(200) },
    listAudit: {
      method: 'GET',
      path: '/api/admin/audit',
      status: adminOnly(200),
      finds: { owner: [OLD, FRESH_MARKER, UNSENT_MARKER] },
    },
    exportAudit: { method: 'GET', path: '/api/admin/export/audit', status: adminOnly(200) },
    findProtectedState: { method: 'GET', path: '/api/admin/protected-changes', status: adminOnly(200) },
    proposeChange: {
      path: '/api/admin/protected-changes',
      body: () => ({ kind: 'chain', chainId: 1, reason: 'none' }),
      status: adminOnly(409),
    },
    approveChange: { path: `/api/admin/protected-changes/${unknownId}/approve`, status: adminOnly(404) },
    cancelChange: { path: `/api/admin/protected-changes/${unknownId}/cancel`, status: adminOnly(404) },
    listAnnouncedChanges: { method: 'GET', path: '/api/announced-changes', status: everyone(200) },
    listOwnSecurityEvents: { method: 'GET', path: '/api/account/security-log', status: accountsOnly(200) },
    exportOwnSecurityEvents: { method: 'GET', path: '/api/account/security-log.jsonl', status: recentOnly(200) },
    listSecurityEvents: { method: 'GET', path: '/api/admin/security-log', status: adminOnly(200) },
    exportSecurityEvents: { method: 'GET', path: '/api/admin/export/security-log', status: adminOnly(200) },
    adminSystem: { method: 'GET', path: '/api/admin/system', status: adminOnly(200) },
    adminInstances: { method: 'GET', path: '/api/admin/instances', status: adminOnly(200) },
    chainConfig: { method: 'GET', path: '/api/config/chain', status: everyone(200) },
    readChain: {
      path: '/api/chain/read',
      body: () => ({ chainId: 31337, method: 'eth_blockNumber', params: [] }),
      status: accountsOnly(200),
    },
    publicConfig: { method: 'GET', path: '/api/config', status: everyone(200) },
    systemStatus: { method: 'GET', path: '/api/status', status: accountsOnly(200) },
    logHead: { method: 'GET', path: '/api/log/head', status: everyone(200) },
    logCheckpoint: { method: 'GET', path: '/api/log/checkpoint', status: everyone(200) },
    logConsistency: { method: 'GET', path: '/api/log/consistency?from=1&to=2', status: everyone(200) },
    // Entry 0 is the key list, and entry 1 is older than the public delay.
    logInclusion: {
      method: 'GET',
      path: '/api/log/inclusion?index=1&size=2',
      status: everyone(200),
      finds: Object.fromEntries(columns.map((role) => [role, [OLD]])),
    },
    'logInclusion of a fresh alert': {
      method: 'GET',
      path: '/api/log/inclusion?index=2&size=4',
      status: [403, 403, 403, 200, 200, 200],
      finds: { active: [FRESH_MARKER], other: [FRESH_MARKER], owner: [FRESH_MARKER] },
    },
    'logInclusion of a draft': {
      method: 'GET',
      path: '/api/log/inclusion?index=3&size=4',
      status: [403, 403, 403, 403, 403, 200],
      finds: { owner: [UNSENT_MARKER] },
    },
    logEntries: {
      method: 'GET',
      path: '/api/log/entries',
      status: everyone(200),
      finds: { ...markersByRole, anonymous: [OLD], owner: [OLD, FRESH_MARKER, UNSENT_MARKER] },
    },
    logAnchors: { method: 'GET', path: '/api/log/anchors', status: everyone(200) },
    logKeys: { method: 'GET', path: '/api/log/keys', status: everyone(200) },
    contactSupport: {
      path: '/api/support',
      body: (role) => ({ ...email(role), name: 'Ada', subject: 'A question', message: 'When does it end?' }),
      status: everyone(200),
    },
    logStats: { method: 'GET', path: '/api/log/stats', status: everyone(200) },
    logMessages: {
      method: 'GET',
      path: '/api/log/messages',
      status: everyone(200),
      finds: { ...markersByRole, anonymous: [OLD], owner: [OLD, FRESH_MARKER, UNSENT_MARKER] },
    },
    logMessage: { method: 'GET', path: `/api/log/messages/${zeroHash}`, status: everyone(404) },
    logCandles: { method: 'GET', path: '/api/log/candles/binance/BTCUSDT/2026-01-15', status: everyone(404) },
    trackRecord: { method: 'GET', path: '/api/track-record', status: everyone(200) },
    trackRecordAlerts: { method: 'GET', path: '/api/track-record/alerts?status=pending', status: everyone(200) },
    exportTrackRecord: { method: 'GET', path: '/api/track-record/alerts.csv', status: everyone(200) },
    listDestinations: { method: 'GET', path: '/api/channels', status: accountsOnly(200) },
    createDestination: {
      path: '/api/channels',
      body: () => ({ name: 'Bot', url: 'ftp://example.com' }),
      status: [401, 422, 403, 422, 422, 422],
    },
    changeDestination: {
      method: 'PUT',
      path: `/api/channels/${unknownId}`,
      body: () => ({ paused: true }),
      status: accountsOnly(404),
    },
    renewPush: {
      method: 'PUT',
      path: '/api/channels/push-subscription',
      body: () => ({
        previousEndpoint: 'x',
        subscription: { endpoint: 'ftp://example.com', p256dh: 'x', auth: 'x' },
      }),
      status: accountsOnly(422),
    },
    changeAllDestinations: {
      method: 'PUT',
      path: '/api/channels',
      body: () => ({ mutedUntil: null }),
      status: accountsOnly(200),
    },
    setEscalation: {
      method: 'PUT',
      path: '/api/channels/escalation',
      body: () => ({ ids: [] }),
      status: accountsOnly(200),
    },
    previewRules: {
      path: '/api/channels/preview',
      body: () => ({ rules: allAlerts, timeZone: 'UTC' }),
      status: accountsOnly(200),
      finds: markersByRole,
    },
    listAcknowledgements: { method: 'GET', path: '/api/channels/acknowledgements', status: accountsOnly(200) },
    acknowledgeAlert: {
      path: '/api/channels/acknowledgements',
      body: () => ({ logIndex: 999_999 }),
      status: accountsOnly(404),
    },
    acknowledgeByLink: { path: '/api/channels/acknowledgements/not-a-token', status: everyone(404) },
    unsubscribe: { path: '/api/channels/unsubscribe/not-a-token', status: everyone(404) },
    deleteDestination: { method: 'DELETE', path: `/api/channels/${unknownId}`, status: accountsOnly(404) },
    confirmDestination: { path: `/api/channels/${unknownId}/confirm`, status: accountsOnly(404) },
    testDestination: { path: `/api/channels/${unknownId}/test`, status: accountsOnly(404) },
    rotateDestinationSecret: { path: `/api/channels/${unknownId}/secret`, status: recentOnly(404) },
    findPrivateFeed: { method: 'GET', path: '/api/feeds/private', status: accountsOnly(200) },
    createPrivateFeed: { path: '/api/feeds/private', status: recentOnly(200) },
    // The expired role gets 404, because its request to create a private feed was rejected.
    revokePrivateFeed: { method: 'DELETE', path: '/api/feeds/private', status: [401, 200, 404, 200, 200, 200] },
    'the public feed': {
      method: 'GET',
      path: '/feeds/alerts.json',
      status: everyone(200),
      finds: Object.fromEntries(columns.map((role) => [role, [OLD]])),
    },
    'a private feed': { method: 'GET', path: '/feeds/not-a-secret/alerts.json', status: everyone(404) },
    adminChannels: { method: 'GET', path: '/api/admin/channels', status: adminOnly(200) },
    testTelegramBot: { path: '/api/admin/channels/telegram-test', status: adminOnly(409) },
    listChannelDeliveries: { method: 'GET', path: `/api/channels/${unknownId}/deliveries`, status: accountsOnly(404) },
    redeliver: { path: `/api/channels/${unknownId}/redeliver`, body: () => ({ index: 0 }), status: accountsOnly(404) },
    listAlertViews: { method: 'GET', path: '/api/alert-views', status: accountsOnly(200) },
    createAlertView: {
      path: '/api/alert-views',
      body: () => ({ name: 'Urgent', filter: { priority: ['critical'] } }),
      status: accountsOnly(201),
    },
    changeAlertView: {
      method: 'PUT',
      path: `/api/alert-views/${unknownId}`,
      body: () => ({ name: 'Urgent' }),
      status: accountsOnly(404),
    },
    deleteAlertView: { method: 'DELETE', path: `/api/alert-views/${unknownId}`, status: accountsOnly(404) },
    listApiKeys: { method: 'GET', path: '/api/keys', status: accountsOnly(200) },
    createApiKey: {
      path: '/api/keys',
      body: () => ({ name: 'Bot', scopes: ['stream'] }),
      status: recentOnly(200),
    },
    revokeApiKey: { method: 'DELETE', path: `/api/keys/${unknownId}`, status: recentOnly(404) },
    findPreferences: { method: 'GET', path: '/api/settings/preferences', status: accountsOnly(200) },
    savePreferences: {
      method: 'PUT',
      path: '/api/settings/preferences',
      body: () => ({ density: 'compact' }),
      status: accountsOnly(200),
    },
    listActivity: { method: 'GET', path: '/api/activity', status: accountsOnly(200) },
    '/healthz': { method: 'GET', path: '/healthz', status: everyone(200) },
    '/readyz': { method: 'GET', path: '/readyz', status: everyone(200) },
    '/metrics': { method: 'GET', path: '/metrics', status: everyone(403) },
    '/metrics with its token': {
      method: 'GET',
      path: '/metrics',
      headers: { authorization: 'Bearer metrics-token-of-the-test' },
      status: everyone(200),
    },
    '/openapi.json': { method: 'GET', path: '/openapi.json', status: everyone(200) },
    '/ws without an upgrade': { method: 'GET', path: '/ws', status: everyone(404) },
    '/dev/outbox.json of the demo': { method: 'GET', path: '/dev/outbox.json', status: everyone(404) },
    '/dev/chain of the demo': { path: '/dev/chain', body: () => ({}), status: everyone(404) },
    'an unknown path': { method: 'GET', path: '/api/alerts/latest', status: everyone(404) },
    'a page': { method: 'GET', path: '/', headers: { accept: 'text/html' }, status: everyone(404) },
    // Must be last, because it ends the sessions.
    logout: { path: '/api/auth/logout', body: () => ({}), status: everyone(200) },
  }
}
