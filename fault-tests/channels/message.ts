import type { ReceivedRequest } from './fixture.ts'

/** The content of a message as its receiver can read it. */
export interface Message {
  /** The number of the destination. */
  to: number
  form: 'alert' | 'digest' | 'anchored' | 'notice' | 'probe'
  /**
   * Equal in all attempts of a message. The id of a chat message is built from the log indexes of
   * its alerts, because chats transmit no id.
   */
  id: string
  /** Log indexes of the alerts that the message names. */
  indexes: number[]
  /** Number of alerts that the message only counts, because it has no room to name them. */
  unnamedCount: number
  text: string
}

/** Parses a request to an endpoint. Push messages are decrypted with `readPush`. */
export function readRequest({ id, path, body, bytes }: ReceivedRequest, readPush: (bytes: Buffer) => string): Message {
  const isPush = path.startsWith('/push/')
  const text = isPush ? readPush(bytes) : body
  const content = JSON.parse(text)
  if (path.startsWith('/hook/')) {
    const { type, data } = content
    const indexes =
      type === 'alert.digest' ? data.alerts.map(getLogIndex) : data.logIndex === undefined ? [] : [getLogIndex(data)]
    return { to: parseFirstNumber(path), form: getForm(type), id, indexes, unnamedCount: 0, text }
  }
  const indexes = parseLogIndexes(text)
  const unnamedCount = Number(/and (\d+) more/.exec(text)?.[1] ?? 0)
  const to = content.chat_id ?? parseFirstNumber(path === '/' ? content.topic : path)
  const form = isPush ? getForm(content.type) : deriveForm(text)
  const name = isPush && form !== 'probe' ? content.tag : indexes.join()
  // A digest of one alert gets the id of the alert. An alert that may have been delivered before a
  // kill is sent again as such a digest, which must count as a duplicate.
  const idForm = form === 'digest' && indexes.length + unnamedCount === 1 ? 'alert' : form
  return { to, form, id: `${to} ${idForm} ${name}`, indexes, unnamedCount, text }
}

const getLogIndex = (alert: { logIndex: number }) => alert.logIndex

/** Parses the text part of an email, not the HTML. The id is the Message-ID. */
export function readMail(address: string, source: string): Message {
  const text = (source.split(/content-type: text\/html/i)[0] ?? '')
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  const id = /^message-id: *(\S+)/im.exec(source.replace(/\r\n[ \t]+/g, ' '))?.[1]
  if (id === undefined) throw new Error('A mail has no Message-ID')
  return {
    to: parseFirstNumber(address),
    form: deriveForm(text),
    id,
    indexes: parseLogIndexes(text),
    unnamedCount: 0,
    text,
  }
}

const parseFirstNumber = (text: string) => Number(/\d+/.exec(text)?.[0])

/** Finds the log indexes in a text, formatted like "#1,234". */
function parseLogIndexes(text: string): number[] {
  const foundNumbers = [...text.matchAll(/#(\d[\d,]*)/g)].map(([, digits = '']) => Number(digits.replaceAll(',', '')))
  return [...new Set(foundNumbers)].sort((a, b) => a - b)
}

function getForm(type: string): Message['form'] {
  const forms: Record<string, Message['form']> = {
    'alert.created': 'alert',
    'alert.anchored': 'anchored',
    'alert.digest': 'digest',
    'channel.notice': 'notice',
    'channel.probe': 'probe',
  }
  const form = forms[type]
  if (form === undefined) throw new Error(`Unknown type ${type}`)
  return form
}

/** Derives the form from the text: digests have a heading, and single alerts name their number. */
function deriveForm(text: string): Message['form'] {
  if (/\balerts? (was|were) held back\b/.test(text)) return 'digest'
  if (parseLogIndexes(text).length > 0) return 'alert'
  return text.includes('Its delivery ledger shows') ? 'notice' : 'probe'
}
