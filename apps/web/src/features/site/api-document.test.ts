import { expect, test } from 'vitest'
import { readApiDocument } from './api-document.ts'

const socket = { path: '/ws', clientMessages: {}, serverMessages: {}, closeCodes: {} }

test.each([
  [undefined, false],
  ['costly', true],
  ['page', true],
  ['day', false],
])('readApiDocument: a call with the limit %s is costly for API keys: %s', (limit, isCostly) => {
  const operation = { tags: ['Alerts'], ...(limit === undefined ? {} : { 'x-limit': limit }) }
  const { callsByTopic } = readApiDocument({ paths: { '/api/x': { get: operation } }, 'x-websocket': socket })
  expect(callsByTopic.Alerts).toMatchObject([{ path: '/api/x', isCostly }])
})
