/**
 * HTML that embeds an alert in other sites. The frame needs no script in the embedding page and has
 * no access to that page. It may run its own script and open the alert's page in a new tab.
 */
export function createEmbedCode(origin: string, logIndex: number): string {
  const rights = 'allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox'
  return `<iframe src="${origin}/embed/${logIndex}" width="420" height="280" title="Tocsin alert #${logIndex}" loading="lazy" sandbox="${rights}" style="border:0;max-width:100%"></iframe>`
}
