import { randomUUID } from 'node:crypto'
import type { Context } from '@tocsin/server/context.ts'
import { destinations } from '@tocsin/server/db/schema/channels.ts'
import { createSecrets, sealSecrets } from '@tocsin/server/features/channels/secrets.ts'
import { createBrowserKeys } from '@tocsin/testkit/push-service'

type Kind = 'webhook' | 'discord' | 'slack' | 'ntfy' | 'telegram' | 'email' | 'web-push'

export interface DestinationGroup {
  kind: Kind
  count: number
  /** Number of these destinations that never respond. Webhooks only. */
  hangingCount?: number
  /** Time that these destinations take to respond, in ms. Webhooks only. */
  waitMs?: number
}

/** Host of the push service. All browsers use the same service, as most do in practice. */
const PUSH_HOST = '127.2.0.1'

/**
 * Inserts confirmed destinations and assigns them to the accounts in turn. Each webhook has a host
 * of its own.
 */
export async function addDestinations(
  { config, db }: Context,
  port: number,
  wantedDestinations: readonly DestinationGroup[],
): Promise<void> {
  const { rows: accounts } = await db.execute<{ id: string }>('select id from accounts order by id')
  const allDestinations = wantedDestinations.flatMap(({ kind, count, hangingCount = 0, waitMs }) =>
    Array.from({ length: count }, (_, index) => ({ kind, groupIndex: index, isHanging: index < hangingCount, waitMs })),
  )
  // Spread the destinations that hang among the others.
  allDestinations.sort((a, b) => ((a.groupIndex * 7_919) % 1_009) - ((b.groupIndex * 7_919) % 1_009))
  // Share one key pair, because generating a pair costs more than sending a message.
  const webhook = createSecrets('http://127.0.0.1')
  const { publicKeys } = createBrowserKeys()
  const rows = allDestinations.map(({ kind, isHanging, waitMs }, position) => {
    const id = randomUUID()
    const host = `${kind === 'web-push' ? PUSH_HOST : `127.1.${Math.floor(position / 250)}.${1 + (position % 250)}`}:${port}`
    const url = `http://${host}${getPath(kind, position, isHanging, waitMs)}`
    const address = `trader-${position}@example.com`
    const secrets = {
      telegram: { chatId: position + 1, threadId: null },
      webhook: { ...webhook, url },
      email: { address },
      'web-push': { url, ...publicKeys },
      discord: { url, token: null },
      slack: { url, token: null },
      ntfy: { url, token: null },
    }[kind]
    return {
      id,
      accountId: accounts[position % accounts.length]?.id ?? '',
      kind,
      name: `Bench ${position}`,
      host: kind === 'telegram' ? 'Telegram' : kind === 'email' ? address : host,
      sealed: sealSecrets(config, id, secrets),
      state: 'on' as const,
      createdAt: new Date(),
    }
  })
  for (let from = 0; from < rows.length; from += 1_000) {
    await db.insert(destinations).values(rows.slice(from, from + 1_000))
  }
  // Update the statistics, as autovacuum does within a minute.
  await db.execute('analyze')
}

function getPath(kind: Kind, position: number, isHanging: boolean, waitMs?: number): string {
  if (kind === 'discord') return `/api/webhooks/${position}/token`
  if (kind === 'slack') return `/services/T/B/${position}`
  if (kind === 'ntfy') return `/topic-${position}`
  if (kind === 'web-push') return `/push/${position}`
  if (waitMs !== undefined) return `/wait-${waitMs}/${position}`
  return isHanging ? '/hang' : `/hook/${position}`
}
