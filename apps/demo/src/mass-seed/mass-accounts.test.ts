import { plans } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { systemClock } from '@tocsin/server/clock.ts'
import { payments } from '@tocsin/server/db/schema/payments.ts'
import { subscriptions } from '@tocsin/server/db/schema/subscriptions.ts'
import { createTestContext, startTestDatabase, testConfig } from '@tocsin/testkit'
import { eq } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { seedMass } from './mass-seed.ts'

test('seedMass: payments have the prices of the plans, and subscriptions their durations', async () => {
  const database = await startTestDatabase()
  onTestFinished(() => database.stop())
  const { ctx, close } = await createTestContext(
    testConfig({ databaseUrl: await database.createDatabase() }),
    systemClock,
  )
  onTestFinished(close)
  await seedMass(ctx, { alerts: 10, users: 20, payments: 30, destinations: 2 })
  const rows = await ctx.db.select().from(payments).innerJoin(subscriptions, eq(subscriptions.paymentId, payments.id))
  expect(rows).toHaveLength(30)
  const seededPlans = rows.map(({ payments: payment, subscriptions: { startsAt, endsAt } }) =>
    [payment.planId, payment.amountWei, (endsAt.getTime() - startsAt.getTime()) / HOUR_MS].join(),
  )
  expect(new Set(seededPlans)).toEqual(new Set(plans.map(({ id, priceWei, hours }) => [id, priceWei, hours].join())))
})
