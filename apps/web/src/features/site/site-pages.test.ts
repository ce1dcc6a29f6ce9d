import { beforeAll, expect, test } from 'vitest'
import { renderPages } from '../../entry/prerender.tsx'

/** Text of the main part of each page, by path. */
const words = new Map<string, string>()

beforeAll(async () => {
  for (const { path, html } of (await renderPages()).pages) {
    const mainHtml = html.slice(html.indexOf('<main'))
    words.set(path, mainHtml.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '))
  }
})

test('/documentation: the link “Sign up” opens the sign-up tab', async () => {
  const { pages } = await renderPages()
  const { html = '' } = pages.find(({ path }) => path === '/documentation') ?? {}
  expect(html).toContain('href="/auth?tab=sign-up">Sign up</a>')
})

test.each(['nothing else about your network is stored', 'There is no newsletter', 'There are no analytics'])(
  '/privacy-policy: does not claim “%s”',
  (claim) => expect(words.get('/privacy-policy')).not.toContain(claim),
)

test.each<[path: string, sequence: string[]]>([
  ['/privacy-policy', ['Last updated January 16, 2025', 'Privacy Policy']],
  ['/privacy-policy', ['Second factors', 'Your sessions', 'the network', 'The security log', 'at least 90 days']],
  ['/privacy-policy', ['API keys', 'Channels', 'for 30 days', 'messages of the operator', 'Your network']],
  ['/privacy-policy', ['It is stored with your sessions and in the security log', 'link to unsubscribe']],
  ['/terms-of-service', ['Last updated January 16, 2025', 'Terms of Service']],
  ['/security', ['Last updated January 16, 2025', 'Security Overview']],
  [
    '/documentation',
    ['Quick start', 'Create an account.', 'Connect your wallet.', 'Choose a plan.', 'Read and verify.'],
  ],
  ['/documentation', ['Sign-in methods', 'Email and password.', 'Google', 'LinkedIn', 'Wallet.']],
  ['/documentation', ['6 hours 10 ITO', '24 hours 30 ITO', '3 days 75 ITO', 'For developers', 'API Reference']],
  ['/documentation', ['The simulated market of a demo', 'Prices', 'Trades', 'Anomalies', 'docs/engine.md']],
  ['/api-reference', ['Authentication', 'Users', 'Subscriptions', 'Alerts', 'WebSocket']],
  [
    '/track-record',
    ['Track record', 'judged by the exchange’s own one-minute candles', '/api/track-record', 'How to recompute this'],
  ],
  ['/track-record', ['--track-record', '--candles', 'What the record does not say', 'direction or profit']],
  ['/contact-support', ['Name', 'Email', 'Subject', 'Category', 'Message']],
  ['/contact-support', ['Account', 'Subscription', 'Wallet', 'Technical issue', 'Billing', 'Other']],
  [
    '/contact-support',
    ['Critical issues', '1-2 hours', 'Account issues', '4-6 hours', 'General questions', '24 hours'],
  ],
  ['/contact-support', ['Feature requests', '2-3 days', 'Emergency contact']],
])('%s: contains these texts in this order: %j', (path, sequence) => {
  const page = words.get(path) ?? ''
  sequence.reduce((searchFrom, text) => {
    const position = page.indexOf(text, searchFrom)
    expect(position, text).toBeGreaterThanOrEqual(0)
    return position + text.length
  }, 0)
})
