import type { ChannelTest } from '@tocsin/protocol'
import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { channelTests, destinations } from '../../db/schema/channels.ts'
import type { Destination } from './store.ts'

/** Timeout of a test. It is shorter than that of proxies (10 s in ops/nginx.conf). */
export const TEST_MS = 8_000

export type TestResult = Omit<ChannelTest, 'message' | 'link'>

/** Compares with the database's clock, which all instances share. */
const isRunning = sql`${channelTests.createdAt} > now() - ${TEST_MS} * interval '1 millisecond'`

/**
 * Records that a test or a confirmation of the destination begins.
 * @returns the id of the test, or null if another one is running
 */
export async function startDestinationTest(
  tx: Queryable,
  destinationId: string,
  kind: 'test' | 'confirmation',
): Promise<string | null> {
  const newTestRow = { id: sql`gen_random_uuid()`, kind, createdAt: sql`now()`, result: null }
  const rows = await tx
    .insert(channelTests)
    .values({ destinationId, ...newTestRow })
    .onConflictDoUpdate({
      target: channelTests.destinationId,
      set: newTestRow,
      setWhere: sql`${channelTests.result} is not null or not (${isRunning})`,
    })
    .returning({ id: channelTests.id })
  return rows[0]?.id ?? null
}

export async function finishDestinationTest(tx: Queryable, id: string, result: TestResult): Promise<void> {
  await tx.update(channelTests).set({ result }).where(eq(channelTests.id, id))
}

export async function deleteDestinationTest(tx: Queryable, id: string): Promise<void> {
  await tx.delete(channelTests).where(eq(channelTests.id, id))
}

export async function findTestResult(tx: Queryable, id: string): Promise<TestResult | null> {
  const rows = await tx.select({ result: channelTests.result }).from(channelTests).where(eq(channelTests.id, id))
  return rows[0]?.result ?? null
}

/** Returns the tests that the sender of deliveries has to send. */
export function listDueDestinationTests(tx: Queryable): Promise<{ id: string; destination: Destination }[]> {
  return tx
    .select({ id: channelTests.id, destination: destinations })
    .from(channelTests)
    .innerJoin(destinations, eq(destinations.id, channelTests.destinationId))
    .where(and(eq(channelTests.kind, 'test'), isNull(channelTests.result), isRunning))
}
