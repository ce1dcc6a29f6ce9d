import type { Context } from '../../src/context.ts'
import { createIssuer, type IssueAlert } from '../../src/features/alerts/issue-alerts.ts'

type Content = Extract<Parameters<IssueAlert>[0], { content: object }>['content']

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
  return (await createIssuer(ctx)({ content, origin: 'admin', broadcast })).alert
}
