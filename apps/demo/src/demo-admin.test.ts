import { createAccount } from '@tocsin/server/features/accounts/service.ts'
import { createTestContext, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findDemoAdmin } from './demo-admin.ts'

const FIRST_PASSWORD = 'a bell at the harbour'
const database = useTestDatabase()
let testContext: TestContext

beforeAll(async () => {
  const adminFactor = { isRequired: true, exemptEmail: 'later@example.com' }
  testContext = await createTestContext(testConfig({ databaseUrl: await database.createDatabase(), adminFactor }))
})
afterAll(() => testContext?.close())

test('findDemoAdmin: returns the stored admin when a later start has another ADMIN_EMAIL and ADMIN_PASSWORD', async () => {
  expect(await findDemoAdmin(testContext.ctx, [FIRST_PASSWORD])).toBeNull()
  const account = { email: 'admin@tocsin.local', name: 'Administrator', password: FIRST_PASSWORD, verified: true }
  await createAccount(testContext.ctx, { ...account, role: 'owner' })
  const admin = { email: 'admin@tocsin.local', password: FIRST_PASSWORD }
  expect(await findDemoAdmin(testContext.ctx, ['a password of the second start', FIRST_PASSWORD])).toEqual(admin)
})

test('findDemoAdmin: returns a null password when none of the given passwords is correct', async () => {
  expect(await findDemoAdmin(testContext.ctx, ['a password of the second start'])).toMatchObject({ password: null })
})
