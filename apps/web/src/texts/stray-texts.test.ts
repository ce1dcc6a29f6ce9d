import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findStrayTexts } from './stray-texts.ts'

const source = fileURLToPath(new URL('..', import.meta.url))
/** What speaks to programmers and machines (samples, snippets, names of states, a demo wallet's answers to calls), and the drawn name of the product. */
const ofCode =
  /^(?:features\/subscription\/(?:sample-order|subscription-time)|features\/site\/(?:call-snippets|api-topic|socket-reference)|wallet\/demo-(?:wallet|requests)|ui\/identity\/logo)\.tsx?$/

const texts: readonly [what: string, source: string][] = [
  ['between tags', 'const a = <p>Select Plan</p>'],
  ['one small word between tags', 'const a = <p>unread</p>'],
  ['beside a value', 'const a = <p>{count} hours</p>'],
  ['in an expression', "const a = <p>{isOpen && 'open'}</p>"],
  ['as one of two choices', "const a = <p>{isOpen ? texts.open : 'closed'}</p>"],
  ['in a template between tags', 'const a = <p>{`of $' + '{count}`}</p>'],
  ['as a label', 'const a = <Field label="amount" />'],
  ['as a label for screen readers', 'const a = <nav aria-label="Main" />'],
  ['as a choice in an attribute', "const a = <img alt={isOpen ? 'open' : ''} />"],
  ['in a toast', "toast({ title: 'Error', description })"],
  ['as a sentence', "return refuse('the name is too long')"],
  ['as a sentence with values', 'const words = `Ends at $' + '{time}`'],
  ['in a table of words', "const words = { open: 'Open' }"],
]
const clean: readonly [what: string, source: string][] = [
  ['texts of the catalogue', 'const a = <p title={texts.title}>{texts.sentTo({ email })}</p>'],
  ['a number and a unit', 'const a = <p>{price} ITO</p>'],
  ['our name', 'const a = <p>Tocsin</p>'],
  ['class names', 'const a = <p className="flex items-center" /> ; classNames(\'Dark mode\')'],
  ['class names in a constant', "const base = 'inline-flex shrink-0 border'"],
  ['codes', "if (status === 'open' && key === 'Escape') call('listOrders')"],
  ['keys and cases', "const a = { 'Content-Type': x }; switch (a) { case 'Local Chain': }"],
  ['paths and addresses', "const a = '/api/alerts/recent'; const b = 'https://example.org/a b'"],
  ['types', "type Kind = 'Active plan' | 'None'"],
  ['what programmers are told', "throw new Error('useAuth must be used within an AuthProvider')"],
  ['the path of a drawing', "const d = 'M3 4 L 5 6 H 7'"],
]

test.each(texts)('a text %s is found', (_what, code) => {
  expect(findStrayTexts('a.tsx', code)).toHaveLength(1)
})

test.each(clean)('%s: nothing is found', (_what, code) => {
  expect(findStrayTexts('a.tsx', code)).toEqual([])
})

test('no text stands outside the catalogues', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|^texts\//.test(file) && !ofCode.test(file))
  expect(files.length).toBeGreaterThan(200)
  const stray = files.flatMap((file) =>
    findStrayTexts(file, readFileSync(join(source, file), 'utf8')).map(({ line, text }) => `${file}:${line} ${text}`),
  )
  expect(stray).toEqual([])
})
