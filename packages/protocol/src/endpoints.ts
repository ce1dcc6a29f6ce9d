import { z } from 'zod'
import * as accounts from './accounts.ts'
import * as alerts from './alerts.ts'
import { address, done } from './primitives.ts'
import * as subscriptions from './subscriptions.ts'
import * as system from './system.ts'

/**
 * Who may call: anyone, a signed-in account, or an admin. `limit` names the rate limit: `credential` for whatever guesses at or mails
 * secrets, `costly` for what touches a chain.
 */
export interface Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  access: 'public' | 'account' | 'admin'
  limit?: 'credential' | 'costly'
  summary: string
  status?: 200 | 201
  params: Params
  query: Query
  body: Body
  response: Response
}

const nothing = z.undefined()
/** POSTs without content may carry an empty object. */
const emptyBody = z.strictObject({}).nullish()

interface Shape<P, Q, B, R> {
  method: Endpoint['method']
  path: string
  access: Endpoint['access']
  limit?: Endpoint['limit']
  summary: string
  status?: 200 | 201
  params?: P
  query?: Q
  body?: B
  response: R
}

const noKeys = z.strictObject({})

function endpoint<
  R extends z.ZodType,
  P extends z.ZodType = typeof noKeys,
  Q extends z.ZodType = typeof noKeys,
  B extends z.ZodType = typeof nothing,
>(shape: Shape<P, Q, B, R>): Endpoint<P, Q, B, R> & { access: Endpoint['access'] } {
  const { limit, status, ...rest } = shape
  return {
    ...rest,
    ...(limit ? { limit } : {}),
    ...(status ? { status } : {}),
    params: (shape.params ?? noKeys) as P,
    query: (shape.query ?? noKeys) as Q,
    body: (shape.body ?? nothing) as B,
  }
}

const byUser = z.strictObject({ userId: z.string().max(100) })
const byAlert = z.strictObject({ id: z.string().max(100) })

/** Every call of the HTTP API, once: the server registers it, the client calls it, OpenAPI is made from it. */
export const endpoints = {
  register: endpoint({
    method: 'POST',
    path: '/api/auth/register',
    access: 'public',
    limit: 'credential',
    summary: 'Create an account and mail its verification link',
    body: accounts.registerRequest,
    response: done,
  }),
  login: endpoint({
    method: 'POST',
    path: '/api/auth/login',
    access: 'public',
    limit: 'credential',
    summary: 'Start a session with e-mail and password',
    body: accounts.loginRequest,
    response: accounts.loginResponse,
  }),
  logout: endpoint({
    method: 'POST',
    path: '/api/auth/logout',
    access: 'public',
    summary: 'End this session',
    body: emptyBody,
    response: done,
  }),
  resendVerification: endpoint({
    method: 'POST',
    path: '/api/auth/resend-verification',
    access: 'public',
    limit: 'credential',
    summary: 'Mail the verification link again',
    body: accounts.emailRequest,
    response: done,
  }),
  forgotPassword: endpoint({
    method: 'POST',
    path: '/api/auth/forgot-password',
    access: 'public',
    limit: 'credential',
    summary: 'Mail a password reset link',
    body: accounts.emailRequest,
    response: done,
  }),
  resetPassword: endpoint({
    method: 'POST',
    path: '/api/auth/reset-password',
    access: 'public',
    limit: 'credential',
    summary: 'Set a new password with a mailed token',
    body: accounts.resetPasswordRequest,
    response: done,
  }),
  verifyEmail: endpoint({
    method: 'GET',
    path: '/api/auth/verify-email',
    access: 'public',
    limit: 'credential',
    summary: 'Confirm an e-mail address with a mailed token',
    query: accounts.verifyEmailQuery,
    response: accounts.verifyEmailResponse,
  }),
  currentUser: endpoint({
    method: 'GET',
    path: '/api/auth/user',
    access: 'public',
    summary: 'The session’s user, or null',
    response: accounts.currentUserResponse,
  }),
  createChallenge: endpoint({
    method: 'POST',
    path: '/api/wallets/challenge',
    access: 'account',
    limit: 'credential',
    summary: 'A Sign-In with Ethereum message to sign',
    body: accounts.challengeRequest,
    response: accounts.challengeResponse,
  }),
  proveWallet: endpoint({
    method: 'POST',
    path: '/api/wallets/prove',
    access: 'account',
    limit: 'credential',
    summary: 'Prove a wallet with the signed message',
    body: accounts.proveRequest,
    response: accounts.proveResponse,
  }),
  findWalletUser: endpoint({
    method: 'GET',
    path: '/api/users/:walletAddress',
    access: 'account',
    summary: 'The user of a wallet: one’s own, or any for admins',
    params: z.strictObject({ walletAddress: address }),
    response: accounts.walletUserResponse,
  }),
  createWalletUser: endpoint({
    method: 'POST',
    path: '/api/users',
    access: 'account',
    summary: 'The user record of a wallet that this session has proved',
    body: accounts.walletUserRequest,
    response: accounts.walletUserResponse,
  }),
  activeSubscription: endpoint({
    method: 'GET',
    path: '/api/subscriptions/active/:userId',
    access: 'account',
    summary: 'The running subscription, or null',
    params: byUser,
    response: subscriptions.activeSubscriptionResponse,
  }),
  subscribe: endpoint({
    method: 'POST',
    path: '/api/subscriptions',
    access: 'account',
    limit: 'costly',
    summary: 'Turn an on-chain payment into a subscription',
    status: 201,
    body: subscriptions.subscribeRequest,
    response: subscriptions.subscription,
  }),
  recentAlerts: endpoint({
    method: 'GET',
    path: '/api/alerts/recent',
    access: 'account',
    summary: 'Newest alerts; locked rows for those without a subscription',
    query: alerts.recentAlertsQuery,
    response: z.array(alerts.readableAlert),
  }),
  userAlerts: endpoint({
    method: 'GET',
    path: '/api/alerts/user/:userId',
    access: 'account',
    summary: 'The alerts that a user may read in full',
    params: byUser,
    response: z.array(alerts.userAlert),
  }),
  markAlertsRead: endpoint({
    method: 'POST',
    path: '/api/alerts/read',
    access: 'account',
    summary: 'Remember that the account has read these alerts',
    body: alerts.markAlertsReadRequest,
    response: done,
  }),
  verifyAlert: endpoint({
    method: 'POST',
    path: '/api/alerts/verify',
    access: 'public',
    limit: 'costly',
    summary: 'Check an alert’s signature, Merkle path and anchor',
    body: alerts.verifyAlertRequest,
    response: alerts.verifyAlertResponse,
  }),
  listAlerts: endpoint({
    method: 'GET',
    path: '/api/alerts',
    access: 'admin',
    summary: 'Every alert, newest first',
    response: z.array(alerts.adminAlert),
  }),
  createAlert: endpoint({
    method: 'POST',
    path: '/api/alerts',
    access: 'admin',
    summary: 'Issue an alert: signed, logged and, unless told otherwise, broadcast',
    status: 201,
    body: alerts.createAlertRequest,
    response: alerts.createAlertResponse,
  }),
  broadcastAlert: endpoint({
    method: 'POST',
    path: '/api/alerts/:id/broadcast',
    access: 'admin',
    summary: 'Send an alert to all connected clients, again if need be',
    params: byAlert,
    body: emptyBody,
    response: alerts.adminAlert,
  }),
  adminStats: endpoint({
    method: 'GET',
    path: '/api/admin/stats',
    access: 'admin',
    summary: 'The four figures of the admin dashboard',
    response: system.adminStats,
  }),
  chainConfig: endpoint({
    method: 'GET',
    path: '/api/config/chain',
    access: 'public',
    summary: 'The chain that payments are made on',
    response: system.chainConfig,
  }),
  publicConfig: endpoint({
    method: 'GET',
    path: '/api/config',
    access: 'public',
    summary: 'Product, chain, token, treasury, signer, anchor and plans',
    response: system.publicConfig,
  }),
  systemStatus: endpoint({
    method: 'GET',
    path: '/api/status',
    access: 'account',
    summary: 'Measured state of feed, stream, anchoring and alerts',
    response: system.systemStatus,
  }),
  logHead: endpoint({
    method: 'GET',
    path: '/api/log/head',
    access: 'public',
    summary: 'The log’s size and root, and its newest anchor',
    response: system.logHead,
  }),
  listActivity: endpoint({
    method: 'GET',
    path: '/api/activity',
    access: 'account',
    summary: 'The account’s activity, newest first',
    query: system.activityQuery,
    response: z.array(system.activity),
  }),
} as const

export type EndpointName = keyof typeof endpoints
export type RequestBody<N extends EndpointName> = z.input<(typeof endpoints)[N]['body']>
export type ResponseOf<N extends EndpointName> = z.output<(typeof endpoints)[N]['response']>
