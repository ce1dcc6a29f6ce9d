import { saveSetting } from '@tocsin/server/db/setting.ts'
import { FEED_SETTING, readFeedForm } from '@tocsin/server/features/feed/feed-settings.ts'
import { createTestContext, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { followDemoFeed } from './follow-demo-feed.ts'

const database = useTestDatabase()
let testContext: TestContext

beforeAll(async () => {
  testContext = await createTestContext(testConfig({ databaseUrl: await database.createDatabase() }))
})
afterAll(() => testContext?.close())

const saveFeedSetting = (externalEndpoint: string) =>
  saveSetting(
    testContext.ctx.db,
    FEED_SETTING,
    { externalEndpoint, apiKey: null, reconnectInterval: 7, maxRetries: 3, isEnabled: true },
    testContext.ctx.clock.now(),
  )

test('followDemoFeed: updates a saved endpoint when the demo feed has a new port, but keeps an external endpoint', async () => {
  const { ctx } = testContext
  await followDemoFeed(ctx, 'ws://127.0.0.1:40001')
  expect((await readFeedForm(ctx)).isSaved).toBe(false)
  await saveFeedSetting('ws://127.0.0.1:40001/')
  await followDemoFeed(ctx, 'ws://127.0.0.1:40002')
  expect(await readFeedForm(ctx)).toMatchObject({ externalEndpoint: 'ws://127.0.0.1:40002', reconnectInterval: 7 })
  await followDemoFeed(ctx, 'ws://127.0.0.1:40003')
  expect(await readFeedForm(ctx)).toMatchObject({ externalEndpoint: 'ws://127.0.0.1:40003' })
  await saveFeedSetting('wss://feed.example.com')
  await followDemoFeed(ctx, 'ws://127.0.0.1:40004')
  expect(await readFeedForm(ctx)).toMatchObject({ externalEndpoint: 'wss://feed.example.com' })
})
