export interface MailContent {
  /** Preview text that email clients show beside the subject. */
  preview: string
  heading: string
  paragraphs: (string | LinkedParagraph)[]
  /** Details, one per line. */
  facts?: { label: string; value: string }[]
  action?: { label: string; url: string }
  /** Advice for a reader who did not expect the email. */
  note: string
}

interface LinkedParagraph {
  text: string
  links: { label: string; url: string }[]
}

/**
 * Renders an email as plain text and as HTML for light and dark email clients. Escapes all content.
 */
export function renderMail(content: MailContent): { text: string; html: string } {
  return { text: renderText(content), html: renderHtml(content) }
}

function renderText({ heading, paragraphs, facts = [], action, note }: MailContent): string {
  const details = facts.length > 0 ? [facts.map(({ label, value }) => `${label}: ${value}`).join('\n')] : []
  const link = action ? [`${action.label}:\n${action.url}`] : []
  const blocks = [
    heading,
    ...paragraphs.map(renderTextParagraph),
    ...details,
    ...link,
    note,
    '-- \nTocsin, Market Intelligence',
  ]
  return `${blocks.join('\n\n')}\n`
}

function renderTextParagraph(paragraph: string | LinkedParagraph): string {
  if (typeof paragraph === 'string') return paragraph
  return [paragraph.text, ...paragraph.links.map(({ label, url }) => `${label}: ${url}`)].join('\n')
}

/**
 * Renders tables and inline styles, which all email clients support. Each text colour has an
 * explicit background, so that the text stays readable in clients that invert one of the two.
 */
function renderHtml({ preview, heading, paragraphs, facts = [], action, note }: MailContent): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(heading)}</title>
<style>
@media (prefers-color-scheme: dark) {
  .ground { background: #070d11 !important }
  .panel { background: #0e1519 !important; border-color: #263137 !important }
  .strong { color: #ecf1f3 !important }
  .plain { color: #afb9be !important }
  .quiet { color: #86939a !important }
  .line { border-color: #263137 !important }
  .act { background: #19e5e5 !important }
  .act a { color: #04181a !important }
}
</style>
</head>
<body class="ground" style="margin:0;padding:0;background:#f3f7f8">
<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(preview)}</div>
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" style="background:#f3f7f8">
<tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px;font-family:${FONT}">
<tr><td class="strong" style="padding:0 0 16px;font-size:15px;line-height:20px;font-weight:600;color:#1b2429">
Tocsin <span class="quiet" style="font-weight:400;color:#5a676e">&nbsp;Market Intelligence</span></td></tr>
<tr><td class="panel" style="padding:32px;background:#ffffff;border:1px solid #d3dce0;border-radius:3px">
<h1 class="strong" style="margin:0 0 16px;font-size:22px;line-height:28px;font-weight:600;color:#1b2429">${escapeHtml(heading)}</h1>
${paragraphs.map(renderParagraph).join('\n')}
${facts.length > 0 ? renderFacts(facts) : ''}
${action ? renderAction(action) : ''}
<p class="quiet line" style="margin:24px 0 0;padding:16px 0 0;border-top:1px solid #d3dce0;font-size:13px;line-height:20px;color:#5a676e">${escapeHtml(note)}</p>
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`
}

const FONT = "'Instrument Sans',-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

function renderParagraph(paragraph: string | LinkedParagraph): string {
  const { text, links } = typeof paragraph === 'string' ? { text: paragraph, links: [] } : paragraph
  const anchors = links.map(
    ({ label, url }) => `<a href="${escapeHtml(url)}" class="strong" style="color:#1b2429">${escapeHtml(label)}</a>`,
  )
  const linksBelow = anchors.length === 0 ? '' : `<br>${anchors.join(' &nbsp; ')}`
  const lines = escapeHtml(text).replaceAll('\n', '<br>')
  return `<p class="plain" style="margin:0 0 16px;font-size:15px;line-height:24px;color:#46535a">${lines}${linksBelow}</p>`
}

const FACT_FONT = "'Martian Mono',ui-monospace,SFMono-Regular,Menlo,Consolas,monospace"

function renderFacts(facts: { label: string; value: string }[]): string {
  const rows = facts.map(
    ({ label, value }) => `<tr>
<td class="quiet line" style="padding:8px 16px 8px 0;border-top:1px solid #d3dce0;font-size:13px;line-height:20px;color:#5a676e;white-space:nowrap">${escapeHtml(label)}</td>
<td class="strong line" style="padding:8px 0;border-top:1px solid #d3dce0;font-family:${FACT_FONT};font-size:12px;line-height:20px;color:#1b2429;word-break:break-word">${escapeHtml(value)}</td>
</tr>`,
  )
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 16px">${rows.join('\n')}</table>`
}

function renderAction({ label, url }: { label: string; url: string }): string {
  const href = escapeHtml(url)
  return `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:8px 0 24px"><tr>
<td class="act" style="background:#006f78;border-radius:2px"><a href="${href}" style="display:inline-block;padding:12px 24px;font-size:15px;line-height:20px;font-weight:600;color:#ffffff;text-decoration:none">${escapeHtml(label)}</a></td>
</tr></table>
<p class="quiet" style="margin:0 0 4px;font-size:13px;line-height:20px;color:#5a676e">Or copy this link into your browser:</p>
<p class="plain" style="margin:0;font-size:13px;line-height:20px;color:#46535a;word-break:break-all">${href}</p>`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}
