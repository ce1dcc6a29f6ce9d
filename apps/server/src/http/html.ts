export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

export function metaTag(kind: 'name' | 'property', name: string, content: string): string {
  return `<meta ${kind}="${name}" content="${escapeHtml(content)}" />`
}

export interface LinkPreview {
  type: 'website' | 'article'
  title: string
  description: string
  url: string
  /** URL of a picture with 1200 x 630 pixels. */
  image: string
  imageAlt: string
}

/** Returns the head elements for search engines and link previews (Open Graph, https://ogp.me). */
export function previewTags({ type, title, description, url, image, imageAlt }: LinkPreview): string {
  return [
    `<link rel="canonical" href="${url}" />`,
    metaTag('property', 'og:type', type),
    metaTag('property', 'og:site_name', 'Tocsin'),
    metaTag('property', 'og:title', title),
    metaTag('property', 'og:description', description),
    metaTag('property', 'og:url', url),
    metaTag('property', 'og:image', image),
    metaTag('property', 'og:image:width', '1200'),
    metaTag('property', 'og:image:height', '630'),
    metaTag('property', 'og:image:alt', imageAlt),
    metaTag('name', 'twitter:card', 'summary_large_image'),
  ].join('\n    ')
}
