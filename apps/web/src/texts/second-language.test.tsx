import { QueryClientProvider } from '@tanstack/react-query'
import { plans } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { beforeAll, describe, expect, test } from 'vitest'
import { createQueryClient } from '../queries.ts'
import { inPseudoLanguage } from './pseudo-language.ts'

/** Every catalogue takes on a second language before any screen is loaded, as all of a page in that language does. */
beforeAll(() => {
  const modules = import.meta.glob<Record<string, unknown>>(['./*.ts', './*.tsx', '!./*.test.*'], { eager: true })
  const catalogues = Object.values(modules).flatMap((exported) =>
    Object.entries(exported).flatMap(([name, texts]) => (name.endsWith('Texts') && isCatalogue(texts) ? [texts] : [])),
  )
  expect(catalogues.length).toBeGreaterThan(30)
  for (const texts of catalogues) Object.assign(texts, inPseudoLanguage(texts))
})

const isCatalogue = (texts: unknown): texts is object => typeof texts === 'object' && texts !== null

describe('the other language', () => {
  test('is of the same type, longer, and has no English word', () => {
    const en = { one: 'Select Plan', many: ({ count }: { count: number }) => `${count} plans`, months: ['May'] }
    const texts: typeof en = inPseudoLanguage(en)
    expect(texts.one).toBe('‹Séļéçţ~~ Pļåñ~~›')
    expect(texts.many({ count: 3 })).toBe('‹3 þļåñš~~›')
    expect(texts.months).toEqual(['‹Måý~›'])
  })

  test('is in the words around a link and in the link', () => {
    const en = { terms: ({ link }: { link: (words: string) => ReactNode }) => <>Read the {link('terms')}.</> }
    const words = inPseudoLanguage(en).terms({ link: (text) => <a href="/terms">{text}</a> })
    expect(renderToString(words)).toBe('‹Réåđ~~ ţĥé~› <a href="/terms">‹ţéŕɱš~~›</a>.')
  })
})

test.each([
  ['<p>Select Plan</p>', ['Select Plan']],
  ['<p title="Select Plan">‹Šéļéçţ~›</p>', ['Select Plan']],
  ['<p>‹Šéļéçţ~› Plan</p>', ['Plan']],
  ['<p>‹Šéļ~ ‹Pļåñ~› ~›</p><code>npm start</code>10 ITO', []],
])('what is English in %s is found', (html, found) => {
  expect(englishIn(html)).toEqual(found)
})

test('no page that is drawn has English left', async () => {
  const { drawPages, drawGate, pagePaths } = await import('../prerender.tsx')
  const { pages, notFound } = await drawPages()
  const gates = await Promise.all(pagePaths.map(async (path) => ({ path, description: '', ...(await drawGate(path)) })))
  expect(pages.length).toBeGreaterThan(5)
  const left = [...pages, notFound, ...gates].flatMap(({ path, title, description, html }) =>
    englishIn(`<p>${title}</p><p>${description}</p>${html}`).map((text) => `${path}: ${text}`),
  )
  expect(left).toEqual([])
})

test('no signed-in screen has English left', async () => {
  const { OrderTable } = await import('../features/subscription/order-table.tsx')
  const { sampleOrder } = await import('../features/subscription/sample-order.ts')
  const { LiveStatus, LogStatus, WalletStatus } = await import('../shell/status.tsx')
  const { PasswordRules } = await import('../features/settings/password-rules.tsx')
  const at = '2026-11-21T12:00:00.000Z'
  const html = renderToString(
    <QueryClientProvider client={createQueryClient()}>
      <OrderTable orders={[sampleOrder, { ...sampleOrder, id: 'paid', status: 'paid', flags: ['late'] }]} />
      <LiveStatus state="reconnecting" lastMessageAt={at} lostAt={at} />
      <LogStatus entries={12} anchor={{ at, root: '' }} />
      <WalletStatus address={null} />
      <PasswordRules minLength={8} password="" confirmPassword="" />
    </QueryClientProvider>,
  )
  expect(englishIn(html)).toEqual([])
})

/** What is the same in every language, and what is the server's to translate: the table of plans is in the protocol. */
const ofNoLanguage = /\b(?:Tocsin|Tocs|ITO|UTC|EIP|min|WebSocket|npm start|v?\d[\w.]*h?)\b/g
const ofServer = new Set<string>(plans.flatMap(({ name, description, features }) => [name, description, ...features]))

function englishIn(html: string): string[] {
  const shown = html.replace(/<(code|pre|kbd)\b[^>]*>.*?<\/\1>/gs, '<i>').replace(/<!--.*?-->/g, '')
  const labels = [...shown.matchAll(/ (?:title|alt|placeholder|label|aria-label)="([^"]*)"/g)].map(
    ([, text = '']) => text,
  )
  return [...shown.split(/<[^>]*>/), ...labels]
    .map((text) => withoutPseudo(text).trim())
    .filter((text) => /\p{L}{2}/u.test(text.replace(ofNoLanguage, '')) && !ofServer.has(text))
}

function withoutPseudo(text: string): string {
  const rest = text.replace(/‹[^‹›]*›/g, '')
  return rest === text ? rest : withoutPseudo(rest)
}
