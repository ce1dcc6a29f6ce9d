import { proofWordsTexts } from '../../texts/proof-words.ts'

const texts = proofWordsTexts.rpcUrl
/** The hosts that plain HTTP is allowed to: the reader's own machine. */
const ownMachine = new Set(['localhost', '127.0.0.1'])

/** The address of a chain node as typed, or a sentence on what is wrong with it. */
export function parseRpcUrl(text: string): { url: string } | { problem: string } {
  const trimmed = text.trim()
  if (trimmed === '') return { problem: texts.enterTheAddress }
  if (!URL.canParse(trimmed)) return { problem: texts.thisIsNoWebAddress }
  const { protocol, hostname, username, password, href } = new URL(trimmed)
  if (username !== '' || password !== '') return { problem: texts.leaveNameAndPassword }
  const isAllowed = protocol === 'https:' || (protocol === 'http:' && ownMachine.has(hostname))
  if (!isAllowed) return { problem: texts.onlyHttpsWorksOrHttp }
  return { url: href }
}

/** @throws Error with a sentence where the address is none of a node */
export function getRpcUrl(text: string): string {
  const node = parseRpcUrl(text)
  if ('problem' in node) throw new Error(texts.noNodeToAsk({ problem: node.problem }))
  return node.url
}

/** The part of a node's address that names it: its host, without keys that the path may hold. */
export function rpcHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
