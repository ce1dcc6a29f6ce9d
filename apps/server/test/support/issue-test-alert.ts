import type { Context } from '../../src/context.ts'
import { issueAlert } from '../../src/features/alerts/issue-alerts.ts'

type Content = Extract<Parameters<typeof issueAlert>[1], { content: object }>['content']

/** Issues an alert of an admin, by default broadcast and with an asset that only tests use. */
export async function issueTestAlert(
  ctx: Context,
  summary: string,
  { broadcast = true, ...change }: Partial<Content> & { broadcast?: boolean } = {},
) {
  const content: Content = {
    asset: 'ZZQ/RARE',
    anomalyType: 'Rare type',
    regime: 'Rare regime',
    summary,
    confidence: 71.5,
    priority: 'high',
    ...change,
  }
  return (await issueAlert(ctx, { content, origin: 'admin', broadcast })).alert
}
