import { proofWordsTexts } from '../../texts/proof-words.ts'

const texts = proofWordsTexts.rpcUrl
/** Hosts for which plain HTTP is allowed. */
const localHosts = new Set(['localhost', '127.0.0.1'])

/** Parses a node URL typed by the user. `problem` is a sentence. */
export function parseRpcUrl(text: string): { url: string } | { problem: string } {
  const trimmed = text.trim()
  if (trimmed === '') return { problem: texts.enterTheAddress }
  if (!URL.canParse(trimmed)) return { problem: texts.thisIsNoWebAddress }
  const { protocol, hostname, username, password, href } = new URL(trimmed)
  if (username !== '' || password !== '') return { problem: texts.leaveNameAndPassword }
  const isAllowed = protocol === 'https:' || (protocol === 'http:' && localHosts.has(hostname))
  if (!isAllowed) return { problem: texts.onlyHttpsWorksOrHttp }
  return { url: href }
}

/** @throws Error with a user-facing message if the URL is invalid */
export function getRpcUrl(text: string): string {
  const node = parseRpcUrl(text)
  if ('problem' in node) throw new Error(texts.noNodeToAsk({ problem: node.problem }))
  return node.url
}

/** The host of a node URL, for display. Omits the path, which may contain an API key. */
export function rpcHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
