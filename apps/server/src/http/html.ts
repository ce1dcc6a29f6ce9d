export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

export function formatMetaTag(kind: 'name' | 'property', name: string, content: string): string {
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
export function formatPreviewTags({ type, title, description, url, image, imageAlt }: LinkPreview): string {
  return [
    `<link rel="canonical" href="${url}" />`,
    formatMetaTag('property', 'og:type', type),
    formatMetaTag('property', 'og:site_name', 'Tocsin'),
    formatMetaTag('property', 'og:title', title),
    formatMetaTag('property', 'og:description', description),
    formatMetaTag('property', 'og:url', url),
    formatMetaTag('property', 'og:image', image),
    formatMetaTag('property', 'og:image:width', '1200'),
    formatMetaTag('property', 'og:image:height', '630'),
    formatMetaTag('property', 'og:image:alt', imageAlt),
    formatMetaTag('name', 'twitter:card', 'summary_large_image'),
  ].join('\n    ')
}
