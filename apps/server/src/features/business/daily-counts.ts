import { sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { dailyCounts } from '../../db/schema/server.ts'

type CountName = (typeof dailyCounts.$inferInsert)['name']

const FLUSH_MS = 10_000
const SIGN_UP_PATH = '/api/auth/register'

/**
 * Counts visits of the front page and sign-ups by UTC day, without cookies, addresses or other
 * personal data. Every accepted sign-up form counts, even if its address has an account, so that
 * the count reveals nothing about addresses. Counts are written every ten seconds. If the process
 * is killed, the counts of the last seconds are lost.
 * @returns a function that writes the remaining counts and stops
 */
export function installDailyCounts(app: FastifyInstance, ctx: Context): () => Promise<void> {
  const counts = new Map<string, { day: string; name: CountName; count: number }>()

  function add(name: CountName, count = 1, day = ctx.clock.now().toISOString().slice(0, 10)): void {
    const key = `${day} ${name}`
    counts.set(key, { day, name, count: (counts.get(key)?.count ?? 0) + count })
  }

  async function flush(): Promise<void> {
    const pendingCounts = [...counts.values()]
    if (pendingCounts.length === 0) return
    counts.clear()
    try {
      await addDailyCounts(ctx.db, pendingCounts)
    } catch (error) {
      for (const { name, count, day } of pendingCounts) add(name, count, day)
      ctx.logger.debug({ err: error }, 'writing daily counts failed, trying again')
    }
  }

  app.addHook('onResponse', async (request, reply) => {
    const path = request.url.split('?')[0]
    if (path === '/' && reply.statusCode === 200 && isVisit(request)) add('landing_visits')
    if (path === SIGN_UP_PATH && request.method === 'POST' && reply.statusCode === 200) add('sign_ups')
  })
  const timer = setInterval(() => void flush(), FLUSH_MS).unref()
  return async () => {
    clearInterval(timer)
    await flush()
  }
}

/**
 * Returns true if a browser opens the page from outside of the site. Programs that do not send
 * Fetch Metadata, such as crawlers, are not counted.
 */
export function isVisit({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  const isDocument = headers['sec-fetch-dest'] === 'document' && headers['sec-fetch-mode'] === 'navigate'
  const isPrefetch = headers['sec-purpose'] !== undefined || headers.purpose === 'prefetch'
  return method === 'GET' && isDocument && !isPrefetch && headers['sec-fetch-site'] !== 'same-origin'
}

async function addDailyCounts(tx: Queryable, rows: (typeof dailyCounts.$inferInsert)[]): Promise<void> {
  await tx
    .insert(dailyCounts)
    .values(rows)
    .onConflictDoUpdate({
      target: [dailyCounts.day, dailyCounts.name],
      set: { count: sql`${dailyCounts.count} + excluded.count` },
    })
}
