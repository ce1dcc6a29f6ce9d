import type { Alert } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { ReadAccess } from '../access/readable.ts'
import { listReadableAlerts } from '../alerts/service.ts'
import { createAlertMessage, formatTitle } from '../channels/kinds/message.ts'
import type { FeedItem } from './render-feed.ts'

const MAX_ITEMS = 50

/** Returns the newest alerts that a caller with this access may read now. */
export async function listFeedItems(ctx: Context, access: ReadAccess): Promise<FeedItem[]> {
  const { publicUrl } = ctx.config.http
  return (await listReadableAlerts(ctx, access, MAX_ITEMS)).map((alert) => toItem(alert, publicUrl))
}

function toItem(alert: Alert, publicUrl: string): FeedItem {
  const { id, logIndex, outcome, createdAt, priority, asset, anomalyType } = alert
  const messageParts = createAlertMessage({ alert, logIndex, isOutcome: outcome !== undefined, publicUrl })
  return {
    id,
    title: formatTitle(messageParts),
    text: `${messageParts.summary} ${messageParts.at}, ${messageParts.logIndexText}. Proof: ${messageParts.proofLink}`,
    link: messageParts.link,
    publishedAt: new Date(createdAt),
    updatedAt: new Date(outcome?.createdAt ?? createdAt),
    // The anomaly type may be empty.
    tags: [priority, asset, anomalyType].filter((tag) => tag !== ''),
  }
}
