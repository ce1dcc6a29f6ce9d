import { expect, test } from 'vitest'
import type { ApiCall } from './api-document.ts'
import { createExampleUrl, formatSnippet, languages } from './call-snippets.ts'

const call: ApiCall = {
  id: 'post-api-alerts-id-correct',
  method: 'POST',
  path: '/api/alerts/{id}/correct',
  summary: '',
  scope: null,
  isCostly: false,
  access: 'admin',
  isRecent: false,
  parameters: [],
  body: null,
  response: null,
  example: { params: { id: 'a/b' }, query: { limit: 5 }, body: { summary: "it's" } },
}

test('createExampleUrl: fills in parameters and escapes them', () => {
  expect(createExampleUrl('https://x.example', call)).toBe('https://x.example/api/alerts/a%2Fb/correct?limit=5')
  expect(createExampleUrl('', { ...call, example: {} })).toBe('/api/alerts/id/correct')
})

test.each(languages)(
  'formatSnippet: in %s, the snippet of a write call contains the origin, the session cookie and the body',
  (language) => {
    const text = formatSnippet(language, 'https://x.example', call)
    expect(text).toContain('https://x.example/api/alerts/a%2Fb/correct?limit=5')
    expect(text).toMatch(/Origin.{0,4}https:\/\/x\.example/)
    expect(text).toMatch(/cookie/i)
    expect(text).toContain('summary')
  },
)

test('formatSnippet: escapes quotes in the body for the shell', () => {
  expect(formatSnippet('curl', 'https://x.example', call)).toContain(`'{"summary":"it'\\''s"}'`)
})

test('formatSnippet: omits origin and cookie when the call is a public read', () => {
  const publicReadCall = { ...call, method: 'GET', path: '/api/log/head', access: 'public' as const, example: {} }
  expect(formatSnippet('curl', 'https://x.example', publicReadCall)).toBe("curl 'https://x.example/api/log/head'")
  expect(formatSnippet('TypeScript', 'https://x.example', publicReadCall)).not.toMatch(/Origin|Cookie/)
})

test.each([
  ['/api/auth/login', 'public', '-c cookies.txt'],
  ['/api/auth/logout', 'public', '-b cookies.txt'],
  ['/api/auth/confirm', 'account', '-b cookies.txt \\\n  -c cookies.txt'],
  ['/api/support', 'public', ''],
] as const)('formatSnippet: for %s (%s), curl gets the cookie options "%s"', (path, access, cookieOptions) => {
  const text = formatSnippet('curl', 'https://x.example', { ...call, path, access, example: {} })
  expect(text.match(/-[bc] cookies\.txt(?: \\\n {2}-c cookies\.txt)?/)?.[0] ?? '').toBe(cookieOptions)
})

test('formatSnippet: sends the session cookie when the call reads the current user', () => {
  const publicReadCall = { ...call, method: 'GET', path: '/api/auth/user', access: 'public' as const, example: {} }
  for (const language of languages)
    expect(formatSnippet(language, 'https://x.example', publicReadCall)).toMatch(/cookie/i)
})
