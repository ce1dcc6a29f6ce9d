/** Hosts for which plain HTTP is allowed. */
const localHosts = new Set(['localhost', '127.0.0.1'])

/** Parses a node URL typed by the user. `problem` is a sentence. */
export function parseRpcUrl(text: string): { url: string } | { problem: string } {
  const trimmed = text.trim()
  if (trimmed === '') return { problem: 'Enter the address of a node, starting with https://' }
  if (!URL.canParse(trimmed)) return { problem: 'This is not a web address. The address must start with https://' }
  const { protocol, hostname, username, password, href } = new URL(trimmed)
  if (username !== '' || password !== '') return { problem: 'Leave name and password out of the address' }
  const isAllowed = protocol === 'https:' || (protocol === 'http:' && localHosts.has(hostname))
  if (!isAllowed) return { problem: 'Only https:// works, or http:// to this machine (localhost, 127.0.0.1)' }
  return { url: href }
}

/** @throws Error with a user-facing message if the URL is invalid */
export function requireRpcUrl(text: string): string {
  const parsedUrl = parseRpcUrl(text)
  if ('problem' in parsedUrl) throw new Error(`No usable chain node. ${parsedUrl.problem}.`)
  return parsedUrl.url
}

/** The host of a node URL, for display. Omits the path, which may contain an API key. */
export function getRpcHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
