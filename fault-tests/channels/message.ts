import type { Received } from './scene.ts'

/** What a message is about, read from its content as a receiver does. */
export interface Message {
  /** The number of the destination. */
  to: number
  form: 'alert' | 'digest' | 'anchored' | 'notice' | 'probe'
  /** The same for each attempt. Chat messages carry no id, so it is built from the named alerts. */
  id: string
  /** Log indexes of the alerts that it names. */
  indexes: number[]
  /** Alerts that it only counts, because it has no room for them. */
  more: number
  text: string
}

/** Decrypts push messages with `readPush`. */
export function readRequest({ id, path, body, bytes }: Received, readPush: (bytes: Buffer) => string): Message {
  const pushed = path.startsWith('/push/')
  const text = pushed ? readPush(bytes) : body
  const content = JSON.parse(text)
  if (path.startsWith('/hook/')) {
    const { type, data } = content
    const indexes =
      type === 'alert.digest' ? data.alerts.map(indexOf) : data.logIndex === undefined ? [] : [indexOf(data)]
    return { to: numberIn(path), form: formOf(type), id, indexes, more: 0, text }
  }
  const indexes = numbersIn(text)
  const more = Number(/and (\d+) more/.exec(text)?.[1] ?? 0)
  const to = content.chat_id ?? numberIn(path === '/' ? content.topic : path)
  const form = pushed ? formOf(content.type) : guessForm(text)
  const name = pushed && form !== 'probe' ? content.tag : indexes.join()
  // An alert that may have arrived before a kill may come again as a digest of one.
  const nature = form === 'digest' && indexes.length + more === 1 ? 'alert' : form
  return { to, form, id: `${to} ${nature} ${name}`, indexes, more, text }
}

const indexOf = (of: { logIndex: number }) => of.logIndex

/** Reads the text, not the HTML. Its id is the Message-ID. */
export function readMail(address: string, source: string): Message {
  const text = (source.split(/content-type: text\/html/i)[0] ?? '')
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  const id = /^message-id: *(\S+)/im.exec(source.replace(/\r\n[ \t]+/g, ' '))?.[1]
  if (id === undefined) throw new Error('A mail has no Message-ID')
  return { to: numberIn(address), form: guessForm(text), id, indexes: numbersIn(text), more: 0, text }
}

const numberIn = (text: string) => Number(/\d+/.exec(text)?.[0])

/** Log indexes as people read them: "#1,234". */
function numbersIn(text: string): number[] {
  const found = [...text.matchAll(/#(\d[\d,]*)/g)].map(([, digits = '']) => Number(digits.replaceAll(',', '')))
  return [...new Set(found)].sort((a, b) => a - b)
}

function formOf(type: string): Message['form'] {
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

/** Digests have a heading, and single alerts a link to their proof. */
function guessForm(text: string): Message['form'] {
  if (/\balerts? (was|were) held back\b/.test(text)) return 'digest'
  if (numbersIn(text).length > 0) return 'alert'
  return text.includes('Its ledger shows') ? 'notice' : 'probe'
}
