import type { z } from 'zod'
import { localChainId } from './chains.ts'
import { allAlerts } from './channel-rules.ts'
import type { EndpointName, endpoints, RequestBody } from './endpoints.ts'

interface Example<N extends EndpointName> {
  params?: z.input<(typeof endpoints)[N]['params']>
  query?: z.input<(typeof endpoints)[N]['query']>
  body?: RequestBody<N>
}

/** Placeholders for values that only a running server knows. */
export const exampleIds = {
  account: '01890a5d-ac96-774b-bcce-b302099a8057',
  alert: '01890a5d-ac96-774b-bcce-b302099a8058',
  session: '01890a5d-ac96-774b-bcce-b302099a8059',
  payment: '01890a5d-ac96-774b-bcce-b302099a8060',
  subscription: '01890a5d-ac96-774b-bcce-b302099a8062',
  order: '01890a5d-ac96-774b-bcce-b302099a8061',
  destination: '01890a5d-ac96-774b-bcce-b302099a8063',
  apiKey: '01890a5d-ac96-774b-bcce-b302099a8064',
  view: '01890a5d-ac96-774b-bcce-b302099a8065',
  wallet: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  transaction: '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
  mailedToken: 'the-token-of-the-mailed-link',
} as const

const {
  account,
  alert,
  session,
  payment,
  subscription,
  order,
  destination,
  apiKey,
  view,
  wallet,
  transaction,
  mailedToken,
} = exampleIds
const email = 'ada@example.com'
const password = 'a bell that rings at night'
/** A wallet's response to a challenge. */
const proof = { message: 'the message of the challenge, unchanged', signature: `0x${'1b'.repeat(65)}` }
/** A WebAuthn response in its JSON form. */
const passkeyUse = {
  id: 'AQIDBA',
  rawId: 'AQIDBA',
  type: 'public-key',
  clientExtensionResults: {},
  response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA' },
} as const
const newPasskey = { ...passkeyUse, response: { clientDataJSON: 'e30', attestationObject: 'AA' } }
const content = {
  asset: 'ETH',
  anomalyType: 'Volume spike',
  confidence: 91.5,
  regime: 'High volatility',
  summary: 'Spot volume reached 4.1× its 7-day norm in 90 s.',
  priority: 'high',
} as const
const reason = 'Requested by email'

/**
 * One example request per endpoint that takes parameters. The API reference shows them, and a test
 * sends each of them.
 */
export const examples: { [N in EndpointName]?: Example<N> } = {
  register: { body: { email, password, name: 'Ada' } },
  login: { body: { email, password, rememberMe: true } },
  resendVerification: { body: { email } },
  forgotPassword: { body: { email } },
  resetPassword: { body: { token: mailedToken, newPassword: password } },
  checkResetLink: { body: { token: mailedToken } },
  verifyEmail: { query: { token: mailedToken } },
  googleSignIn: { query: { returnTo: '/dashboard' } },
  linkedinSignIn: { query: { returnTo: '/dashboard' } },
  walletSignInChallenge: { body: { walletAddress: wallet } },
  walletSignIn: { body: proof },
  confirm: { body: { password } },
  confirmWallet: { body: proof },
  completeSignIn: { body: { code: '287082' } },
  confirmFactor: { body: { code: '287082' } },
  confirmTotp: { body: { code: '287082' } },
  passkeySignIn: { body: { response: passkeyUse } },
  confirmPasskey: { body: { response: passkeyUse } },
  addPasskey: { body: { name: 'Work laptop', response: newPasskey } },
  renamePasskey: { params: { id: 'AQIDBA' }, body: { name: 'Old laptop' } },
  removePasskey: { params: { id: 'AQIDBA' } },
  cancelFactorReset: { body: { token: mailedToken } },
  unlinkIdentity: { params: { provider: 'google' } },
  endSession: { params: { id: session } },
  changeName: { body: { name: 'Ada Lovelace' } },
  changeEmail: { body: { email: 'ada@example.org' } },
  changePassword: { body: { currentPassword: password, newPassword: 'two bells that ring at night' } },
  deleteAccount: { body: { confirmation: 'delete my account' } },
  createFirstAdmin: { body: { token: 'the-token-of-the-printed-link', email, name: 'Ada', password } },
  findReceipt: { params: { id: subscription } },
  createChallenge: { body: { walletAddress: wallet } },
  proveWallet: { body: proof },
  unlinkWallet: { params: { address: wallet } },
  findWalletUser: { params: { walletAddress: wallet } },
  createWalletUser: { body: { walletAddress: wallet } },

  activeSubscription: { params: { userId: account } },
  subscribe: { body: { planType: '24h', transactionHash: transaction } },
  createOrder: { body: { planType: '24h', walletAddress: wallet } },
  listOrders: { query: { limit: 20 } },
  findOrder: { params: { id: order } },
  reportOrderTransaction: { params: { id: order }, body: { transactionHash: transaction } },
  cancelOrder: { params: { id: order } },
  readChain: { body: { chainId: localChainId, method: 'eth_getBalance', params: [wallet, 'latest'] } },

  recentAlerts: { query: { limit: 10 } },
  publicAlerts: { query: { limit: 10 } },
  alertSignal: { params: { id: alert } },
  alertSignals: { query: { ids: alert } },
  marketCandles: { query: { venue: 'binance', market: 'BTC/USDT', from: 1_772_460_000, to: 1_772_463_600 } },
  alertProgress: { params: { id: alert } },
  alertBundle: { params: { id: alert } },
  alertAt: { params: { index: '12' } },
  openSharedAlert: { params: { index: '12' }, body: { token: 'the-token-of-the-shared-link' } },
  shareAlert: { params: { id: alert } },
  endShares: { params: { id: alert } },
  userAlerts: { params: { userId: account } },
  searchAlerts: { query: { q: 'volume', priority: 'high', from: '2026-11-01', read: 'unread', limit: 50 } },
  exportAlertsCsv: { query: { asset: 'ETH', from: '2026-11-01' } },
  exportAlertsJson: { query: { q: 'volume' } },
  markAllRead: { body: { upTo: 18_508 } },
  unmarkAllRead: { params: { id: payment } },
  markAlertsRead: { body: { ids: [alert] } },
  verifyAlert: { body: { alertId: alert, signature: proof.signature, merklePath: [], avalancheTx: transaction } },
  createAlert: { body: { ...content, broadcast: true } },
  broadcastAlert: { params: { id: alert } },
  correctAlert: { params: { id: alert }, body: { ...content, confidence: 72.5 } },
  retractAlert: { params: { id: alert }, body: { reason: 'The feed had read a stale order book.' } },

  listUsers: { query: { search: 'ada', filter: 'active', limit: 50 } },
  countUsers: { query: { search: 'ada' } },
  findUser: { params: { id: account } },
  extendSubscription: { params: { id: account }, body: { additionalHours: 24, reason } },
  cancelSubscription: { params: { id: account }, body: { reason } },
  suspendUser: { params: { id: account }, body: { reason } },
  unsuspendUser: { params: { id: account }, body: { reason } },
  requestFactorReset: { params: { id: account }, body: { reason } },
  cancelUserFactorReset: { params: { id: account } },
  endUserSessions: { params: { id: account } },
  endUserSession: { params: { id: account, sessionId: session } },
  useEnrolmentCode: { body: { code: '7kq2-9xm4-tb6e-03wf' } },
  issueEnrolmentCode: { params: { id: account } },
  changeRole: { params: { id: account }, body: { role: 'admin', reason } },
  exportUsers: { query: { filter: 'active' } },
  businessReach: { query: { index: 12 } },
  saveRate: { body: { rate: { currency: 'EUR', perIto: 0.42 } } },
  listPayments: { query: { state: 'credited', limit: 50 } },
  exportPayments: { query: { plan: '24h' } },
  listUnmatchedPayments: { query: { state: 'open', limit: 50 } },
  listAdminOrders: { query: { flag: 'over', state: 'open', limit: 50 } },
  resolveOrder: { params: { id: order }, body: { action: 'refund_noted', reason } },
  resolveUnmatchedPayment: { params: { id: payment }, body: { action: 'refund_noted', reason } },
  changeChain: { body: { value: '11155111', description: 'Trying the test network' } },
  saveFeedConfig: {
    body: {
      externalEndpoint: 'wss://signals.example.com/stream',
      apiKey: 'the-key-of-the-feed',
      reconnectInterval: 30,
      maxRetries: 5,
      isEnabled: false,
    },
  },
  listRefusedSignals: { query: { limit: 50 } },
  pageAlerts: { query: { search: 'volume', priority: 'high', limit: 50 } },
  listAudit: { query: { action: 'alert_created', limit: 50 } },
  exportAudit: { query: { action: 'alert_created' } },

  contactSupport: {
    body: { name: 'Ada', email, subject: 'My plan', category: 'subscription', message: 'When does it end?' },
  },
  logConsistency: { query: { from: 1, to: 1 } },
  logInclusion: { query: { index: 0, size: 1 } },
  logEntries: { query: { from: 0, limit: 10 } },
  logAnchors: { query: { above: 0, limit: 10 } },
  logMessages: { query: { from: 0, limit: 10 } },
  logMessage: { params: { hash: transaction } },
  logCandles: { params: { venue: 'binance', market: 'BTCUSDT', day: '2026-11-21' } },
  trackRecord: { query: { origin: 'feed' } },
  trackRecordAlerts: { query: { origin: 'feed', status: 'true', limit: 20 } },
  exportTrackRecord: { query: { origin: 'feed', set: 'counted' } },
  createDestination: { body: { name: 'My bot', url: 'https://bot.example.com/tocsin' } },
  changeDestination: { params: { id: destination }, body: { paused: true } },
  renewPush: {
    body: {
      previousEndpoint: 'https://push.example.com/former',
      // The key of RFC 8291, Appendix A.
      subscription: {
        endpoint: 'https://push.example.com/newer',
        p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: 'BTBZMqHH6r4Tts7J_aSIgg',
      },
    },
  },
  changeAllDestinations: { body: { paused: true } },
  setEscalation: { body: { ids: [destination] } },
  previewRules: {
    body: { rules: { ...allAlerts, lowestPriority: 'high', coolDownMinutes: 15 }, timeZone: 'Europe/London' },
  },
  acknowledgeAlert: { body: { logIndex: 0 } },
  acknowledgeByLink: { params: { token: mailedToken } },
  unsubscribe: { params: { token: mailedToken } },
  deleteDestination: { params: { id: destination } },
  confirmDestination: { params: { id: destination }, body: { code: 'K7QX2MPA' } },
  testDestination: { params: { id: destination } },
  rotateDestinationSecret: { params: { id: destination } },
  listChannelDeliveries: { params: { id: destination }, query: { show: 'open' } },
  createAlertView: {
    body: { name: 'Majors', filter: { asset: ['BTC/USDT', 'ETH/USDT'], priority: ['high', 'critical'] } },
  },
  changeAlertView: { params: { id: view }, body: { name: 'Majors, urgent' } },
  deleteAlertView: { params: { id: view } },
  createApiKey: {
    body: { name: 'Trading bot', scopes: ['alerts', 'stream', 'verify'], expiresInDays: 90, requestsPerMinute: 60 },
  },
  revokeApiKey: { params: { id: apiKey } },
  redeliver: { params: { id: destination }, body: { index: 18_508, andLater: true } },
  savePreferences: { body: { sound: true, soundFrom: 'critical' } },
  listActivity: { query: { group: 'payments', limit: 10 } },
}
