import { expect, test } from 'vitest'
import type { ApiCall } from './api-document.ts'
import { exampleUrl, languages, writeSnippet } from './call-snippets.ts'

const call: ApiCall = {
  id: 'post-api-alerts-id-correct',
  method: 'POST',
  path: '/api/alerts/{id}/correct',
  summary: '',
  access: 'admin',
  isRecent: false,
  parameters: [],
  body: null,
  answer: null,
  example: { params: { id: 'a/b' }, query: { limit: 5 }, body: { summary: "it's" } },
}

test('the address is filled in and escaped', () => {
  expect(exampleUrl('https://x.example', call)).toBe('https://x.example/api/alerts/a%2Fb/correct?limit=5')
  expect(exampleUrl('', { ...call, example: {} })).toBe('/api/alerts/id/correct')
})

test.each(languages)('a write in %s names its origin, its content and its session', (language) => {
  const text = writeSnippet(language, 'https://x.example', call)
  expect(text).toContain('https://x.example/api/alerts/a%2Fb/correct?limit=5')
  expect(text).toMatch(/Origin.{0,4}https:\/\/x\.example/)
  expect(text).toMatch(/cookie/i)
  expect(text).toContain('summary')
})

test('a quote in the body can not leave the shell’s quotes', () => {
  expect(writeSnippet('curl', 'https://x.example', call)).toContain(`'{"summary":"it'\\''s"}'`)
})

test('a public read needs neither', () => {
  const read = { ...call, method: 'GET', path: '/api/log/head', access: 'public' as const, example: {} }
  expect(writeSnippet('curl', 'https://x.example', read)).toBe("curl 'https://x.example/api/log/head'")
  expect(writeSnippet('TypeScript', 'https://x.example', read)).not.toMatch(/Origin|Cookie/)
})

test.each([
  ['/api/auth/login', 'public', '-c cookies.txt'],
  ['/api/auth/logout', 'public', '-b cookies.txt'],
  ['/api/auth/confirm', 'account', '-b cookies.txt \\\n  -c cookies.txt'],
  ['/api/support', 'public', ''],
] as const)('%s as %s has its cookies kept by curl: %s', (path, access, wanted) => {
  const text = writeSnippet('curl', 'https://x.example', { ...call, path, access, example: {} })
  expect(text.match(/-[bc] cookies\.txt(?: \\\n {2}-c cookies\.txt)?/)?.[0] ?? '').toBe(wanted)
})

test('who asks who is signed in sends the session', () => {
  const read = { ...call, method: 'GET', path: '/api/auth/user', access: 'public' as const, example: {} }
  for (const language of languages) expect(writeSnippet(language, 'https://x.example', read)).toMatch(/cookie/i)
})
