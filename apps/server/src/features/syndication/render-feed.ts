import { cleanText } from '../channels/kinds/message.ts'

/** One alert in a feed. Texts are untrusted. */
export interface FeedItem {
  /** UUID of the alert. */
  id: string
  title: string
  text: string
  link: string
  publishedAt: Date
  /** Time of the alert's outcome, or of the alert if there is no outcome. */
  updatedAt: Date
  tags: string[]
}

export interface Feed {
  /** Permanent and unique IRI of the feed (RFC 4287, 4.2.6). Not the secret address. */
  id: string
  title: string
  publicUrl: string
  /** The address of a public feed. Null for a private feed, whose address is a secret. */
  selfUrl: string | null
  /** Newest first. */
  items: FeedItem[]
}

/** The formats by file extension: Atom 1.0 (RFC 4287), RSS 2.0 and JSON Feed 1.1. */
export const feedFormats = {
  atom: { type: 'application/atom+xml', render: renderAtom },
  rss: { type: 'application/rss+xml', render: renderRss },
  json: { type: 'application/feed+json', render: renderJson },
} as const
export type FeedFormat = keyof typeof feedFormats

function renderAtom({ id, title, publicUrl, selfUrl, items }: Feed): string {
  const entries = items.map(
    (item) => `  <entry>
    <title>${escapeXml(item.title)}</title>
    <id>urn:uuid:${escapeXml(item.id)}</id>
    <link rel="alternate" href="${escapeXml(item.link)}"/>
    <published>${item.publishedAt.toISOString()}</published>
    <updated>${item.updatedAt.toISOString()}</updated>
${item.tags.map((tag) => `    <category term="${escapeXml(tag)}"/>\n`).join('')}    <summary>${escapeXml(item.text)}</summary>
  </entry>
`,
  )
  const selfLink = selfUrl === null ? '' : `  <link rel="self" href="${escapeXml(selfUrl)}"/>\n`
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <title>${escapeXml(title)}</title>
  <id>${escapeXml(id)}</id>
  <link rel="alternate" href="${escapeXml(publicUrl)}/"/>
${selfLink}  <updated>${getNewestTime(items).toISOString()}</updated>
  <author><name>Tocsin</name></author>
${entries.join('')}</feed>
`
}

function renderRss({ title, publicUrl, selfUrl, items }: Feed): string {
  const entries = items.map(
    (item) => `    <item>
      <title>${escapeXml(item.title)}</title>
      <link>${escapeXml(item.link)}</link>
      <guid isPermaLink="false">urn:uuid:${escapeXml(item.id)}</guid>
      <pubDate>${item.publishedAt.toUTCString()}</pubDate>
${item.tags.map((tag) => `      <category>${escapeXml(tag)}</category>\n`).join('')}      <description>${
      // Feed readers show the text as HTML, so it is escaped twice: for HTML and for XML.
      escapeXml(escapeXml(item.text))
    }</description>
    </item>
`,
  )
  const selfLink =
    selfUrl === null ? '' : `    <atom:link rel="self" type="application/rss+xml" href="${escapeXml(selfUrl)}"/>\n`
  return `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
  <channel>
    <title>${escapeXml(title)}</title>
    <link>${escapeXml(publicUrl)}/</link>
    <description>Market anomaly alerts, each signed, logged and anchored.</description>
${selfLink}${entries.join('')}  </channel>
</rss>
`
}

function renderJson({ title, publicUrl, selfUrl, items }: Feed): string {
  const feed = {
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: `${publicUrl}/`,
    ...(selfUrl === null ? {} : { feed_url: selfUrl }),
    items: items.map((item) => ({
      id: `urn:uuid:${item.id}`,
      url: item.link,
      title: item.title,
      content_text: item.text,
      date_published: item.publishedAt.toISOString(),
      date_modified: item.updatedAt.toISOString(),
      tags: item.tags,
    })),
  }
  return `${JSON.stringify(feed, null, 2)}\n`
}

const getNewestTime = (items: FeedItem[]) => new Date(Math.max(0, ...items.map(({ updatedAt }) => updatedAt.getTime())))

/** Escapes text for XML. Also removes characters that XML 1.0 does not allow. */
function escapeXml(text: string): string {
  return cleanText(text)
    .replace(/[\p{Cs}\ufffe\uffff]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
