import { type EndpointName, userCursor } from '@tocsin/protocol'
import type { Context } from '@tocsin/server/context.ts'
import { accounts } from '@tocsin/server/db/schema/accounts.ts'
import { alerts } from '@tocsin/server/db/schema/alerts.ts'
import { destinations } from '@tocsin/server/db/schema/channels.ts'
import { anchors } from '@tocsin/server/db/schema/log.ts'
import { subscriptions } from '@tocsin/server/db/schema/subscriptions.ts'
import { supportMessages } from '@tocsin/server/db/schema/support.ts'
import { wallets } from '@tocsin/server/db/schema/wallets.ts'
import { desc, eq, isNull } from 'drizzle-orm'

export interface Paths {
  everybody: string[]
  signedIn: string[]
  admin: string[]
}

/** GET endpoints that are not measured, with the reason. */
export const skippedEndpoints: Partial<Record<EndpointName, string>> = {
  verifyEmail: 'uses up a mailed link',
  googleSignIn: 'a redirect to a provider',
  googleCallback: 'a redirect from a provider',
  linkedinSignIn: 'a redirect to a provider',
  linkedinCallback: 'a redirect from a provider',
  exportAccount: 'a file that is streamed',
  exportAlertsCsv: 'a file that is streamed',
  exportAlertsJson: 'a file that is streamed',
  exportTrackRecord: 'a file that is streamed',
  exportUsers: 'a file that is streamed',
  exportPayments: 'a file that is streamed',
  exportAudit: 'a file that is streamed',
  exportSecurityEvents: 'a file that is streamed',
  exportOwnSecurityEvents: 'a file that is streamed',
  livePrices: 'a stream of market data, which the seeded server lacks',
  marketCandles: 'kept by a source of market data, which the seeded server lacks',
}

/** Returns the paths of all measured GET endpoints. List endpoints appear once per filter. */
export async function listPaths({ db }: Context, accountId: string): Promise<Paths> {
  const [newestAlert] = await db.select().from(alerts).orderBy(desc(alerts.logIndex)).limit(1)
  const [user] = await db.select().from(accounts).where(isNull(accounts.passwordHash)).limit(1)
  const [destination] = await db.select().from(destinations).where(eq(destinations.accountId, accountId)).limit(1)
  const [period] = await db.select().from(subscriptions).where(eq(subscriptions.accountId, accountId)).limit(1)
  const [anchor] = await db.select().from(anchors).orderBy(desc(anchors.size)).limit(1)
  const [wallet] = await db
    .select()
    .from(wallets)
    .where(eq(wallets.accountId, user?.id ?? ''))
    .limit(1)
  const [letter] = await db.select().from(supportMessages).limit(1)
  if (!newestAlert || !user || !wallet || !letter || !anchor)
    throw new Error('The database is not seeded, or its log is not anchored')
  const size = anchor.size
  const middleIndex = Math.floor(size / 2)
  const oldestAlerts = await db.select({ id: alerts.id }).from(alerts).orderBy(alerts.logIndex).limit(50)
  const oldAlertId = oldestAlerts[0]?.id ?? ''
  const search = [
    '',
    `?cursor=${middleIndex}`,
    '?limit=100',
    '?q=volume',
    '?q=A7',
    '?q=nothingofthekind',
    '?q=volume&priority=critical&read=unread',
    '?priority=critical',
    '?priority=high&priority=critical',
    '?asset=A7%2FUSDT',
    '?asset=none',
    '?type=Depeg',
    '?type=Depeg&asset=A399%2FUSDT',
    '?regime=Trend',
    '?read=unread',
    '?read=read',
    '?read=read&q=volume',
    '?verdict=came-true',
    '?from=2020-01-01&to=2020-02-01',
  ]
  return {
    everybody: [
      '/api/config',
      '/api/config/chain',
      '/api/announcements',
      '/api/announced-changes',
      '/api/alerts/public',
      '/api/alerts/pulse',
      `/api/alerts/at/${middleIndex}`,
      '/api/log/head',
      '/api/log/checkpoint',
      '/api/log/stats',
      '/api/log/keys',
      `/api/log/entries?from=${middleIndex}&limit=100`,
      '/api/log/anchors',
      `/api/log/consistency?from=${middleIndex}&to=${size}`,
      `/api/log/inclusion?index=${middleIndex}&size=${size}`,
      '/api/log/messages?from=0&limit=100',
      // The message and the candles do not exist on the seeded server, so only their lookup is
      // measured.
      `/api/log/messages/0x${'0'.repeat(64)}`,
      '/api/log/candles/binance/BTCUSDT/2026-01-01',
      '/api/track-record',
      '/api/track-record/alerts',
    ],
    signedIn: [
      '/api/account',
      '/api/account/factors',
      '/api/account/security-log',
      '/api/auth/confirm',
      '/api/feeds/private',
      `/api/users/${wallet.address}`,
      '/api/auth/user',
      '/api/auth/sessions',
      '/api/activity',
      '/api/settings/preferences',
      '/api/status',
      '/api/alert-views',
      '/api/alerts',
      '/api/alerts/recent',
      '/api/alerts/facets',
      '/api/alerts/unread',
      ...search.map((query) => `/api/alerts/search${query}`),
      `/api/alerts/${oldAlertId}/bundle`,
      `/api/alerts/${newestAlert.id}/progress`,
      `/api/alerts/${oldAlertId}/signal`,
      `/api/alerts/signals?ids=${oldestAlerts.map(({ id }) => id).join(',')}`,
      '/api/channels',
      ...(destination ? [`/api/channels/${destination.id}/deliveries`] : []),
      '/api/channels/acknowledgements',
      '/api/keys',
      '/api/orders',
      `/api/orders/${user.id}`,
      `/api/subscriptions/active/${accountId}`,
      ...(period ? [`/api/subscriptions/${period.id}/receipt`] : []),
      `/api/alerts/user/${accountId}`,
    ],
    admin: [
      '/api/admin/stats',
      '/api/admin/system',
      '/api/admin/instances',
      '/api/admin/security-log',
      '/api/admin/security-log?category=refused',
      '/api/admin/security-log?search=10.0.0.7',
      '/api/admin/letters',
      '/api/admin/letters?state=open',
      '/api/admin/letters?search=question',
      `/api/admin/letters/${letter.id}`,
      '/api/admin/messages',
      '/api/admin/coupons',
      '/api/admin/announcements',
      '/api/admin/scheduled-alerts',
      '/api/admin/protected-changes',
      '/api/admin/users',
      `/api/admin/users?cursor=${userCursor(user)}`,
      '/api/admin/users?filter=active',
      '/api/admin/users?filter=expired',
      '/api/admin/users?filter=none',
      '/api/admin/users?search=okafor',
      '/api/admin/users?search=user4711@',
      '/api/admin/users?search=0x00000000',
      '/api/admin/users?search=no-such-name',
      '/api/admin/users/counts',
      '/api/admin/users/counts?filter=active&search=1',
      `/api/admin/users/${user.id}`,
      `/api/admin/users/${user.id}/timeline`,
      '/api/admin/alerts',
      `/api/admin/alerts?cursor=${middleIndex}`,
      '/api/admin/alerts?search=volume',
      '/api/admin/alerts?search=A7',
      '/api/admin/alerts?priority=critical&search=volume',
      '/api/admin/audit',
      '/api/admin/audit?action=role_changed',
      '/api/admin/recipients',
      '/api/admin/channels',
      '/api/admin/engine',
      '/api/admin/feed/refused',
      '/api/admin/orders',
      '/api/admin/payments',
      '/api/admin/payments?search=okafor',
      '/api/admin/payments?search=0xabcdef',
      '/api/admin/payments/unmatched',
      '/api/admin/payments/reconciliation',
      '/api/admin/business/customers',
      '/api/admin/business/revenue',
      '/api/admin/business/treasury',
      '/api/admin/business/reach',
      '/api/admin/business/health',
      '/api/admin/websocket/config',
      '/api/admin/settings/chain_id',
    ],
  }
}
