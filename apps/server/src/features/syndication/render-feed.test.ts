import { expect, test } from 'vitest'
import { type FeedFormat, type FeedItem, feedFormats } from './render-feed.ts'

const hostileText = `]]></title><script>alert('1')</script> & "quoted" \u202e\u0000\ufffe\ud800 &lt;b&gt;`
const item: FeedItem = {
  id: '01890a5d-ac96-774b-bcce-b302099a8060',
  title: hostileText,
  text: hostileText,
  link: 'https://example.com/a/1?x=1&y="2"',
  publishedAt: new Date('2026-11-24T14:32:12.345Z'),
  updatedAt: new Date('2026-11-24T15:00:00.000Z'),
  tags: ['high', hostileText],
}
const feed = {
  id: 'https://example.com/feeds/alerts',
  title: 'Tocsin',
  publicUrl: 'https://example.com',
  selfUrl: 'https://example.com/feeds/x',
  items: [item],
}
const renderTestFeed = (format: FeedFormat, change: Partial<typeof feed> | { selfUrl: null } = {}) =>
  feedFormats[format].render({ ...feed, ...change })

/** Checks that all tags are closed and all characters are escaped. */
function assertWellFormed(xml: string): void {
  const openTags: string[] = []
  let remainingXml = xml.replace(/^<\?xml [^?]*\?>\n/, '')
  while (remainingXml !== '') {
    const [part = ''] = /^(?:<[^<>]+>|[^<>]+)/.exec(remainingXml) ?? []
    expect(part, remainingXml.slice(0, 40)).not.toBe('')
    expect(part.replace(/&(amp|lt|gt|quot|#39);/g, '')).not.toContain('&')
    const [, slash, name = '', end] = /^<(\/?)([\w:]+)(?: [\w:]+="[^"<]*")*(\/?)>$/.exec(part) ?? []
    if (part.startsWith('<')) expect(name, part).not.toBe('')
    if (slash === '/') expect(openTags.pop()).toBe(name)
    else if (name !== '' && end === '') openTags.push(name)
    remainingXml = remainingXml.slice(part.length)
  }
  expect(openTags).toEqual([])
}

test.each(['atom', 'rss'] as const)('the %s feed is well-formed XML with hostile texts', (format) => {
  const xml = renderTestFeed(format)
  assertWellFormed(xml)
  for (const character of ['\u202e', '\u0000', '\ufffe', '\ud800']) expect(xml).not.toContain(character)
  assertWellFormed(renderTestFeed(format, { items: [] }))
  expect(() => assertWellFormed(xml.replace('&amp;', '&'))).toThrow()
})

test('the Atom feed has the elements that RFC 4287 requires', () => {
  const xml = renderTestFeed('atom')
  expect(xml).toContain('<id>urn:uuid:01890a5d-ac96-774b-bcce-b302099a8060</id>')
  expect(xml).toContain('<published>2026-11-24T14:32:12.345Z</published>')
  // The feed and its entry each contain the time.
  expect(xml.match(/<updated>2026-11-24T15:00:00.000Z<\/updated>/g)).toHaveLength(2)
  expect(xml).toContain('<author><name>Tocsin</name></author>')
  expect(xml).toContain('<link rel="self" href="https://example.com/feeds/x"/>')
})

test('the RSS feed escapes its text twice, because readers show it as HTML', () => {
  const xml = renderTestFeed('rss')
  const description = /<item>[\s\S]*<description>(.*)<\/description>/.exec(xml)?.[1] ?? ''
  const html = description.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
  expect(html).not.toContain('<')
  expect(html).toContain('&lt;script&gt;')
  expect(xml).toContain('<pubDate>Tue, 24 Nov 2026 14:32:12 GMT</pubDate>')
  expect(xml).toContain('<guid isPermaLink="false">urn:uuid:')
})

test('the JSON feed has the fields of version 1.1', () => {
  expect(JSON.parse(renderTestFeed('json'))).toMatchObject({
    version: 'https://jsonfeed.org/version/1.1',
    title: 'Tocsin',
    feed_url: 'https://example.com/feeds/x',
    items: [{ id: `urn:uuid:${item.id}`, url: item.link, date_published: '2026-11-24T14:32:12.345Z' }],
  })
})

test.each(['atom', 'rss', 'json'] as const)('the private %s feed does not contain its own address', (format) => {
  expect(renderTestFeed(format, { selfUrl: null })).not.toContain('feeds/x')
})
