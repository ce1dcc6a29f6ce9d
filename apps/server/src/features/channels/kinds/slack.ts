import { classifyAs, classifyStatus, type HttpKind } from './kind.ts'
import { type AlertMessage, fitLine, fitText, formatRemaining, formatTitle, type Message } from './message.ts'

/** Maximum length of a plain text object. */
const MAX_CHARACTERS = 3_000
/**
 * Maximum number of alerts shown in a digest. Each uses two of the 50 blocks that a message may
 * have.
 */
const MAX_ALERTS = 20

export const slack: HttpKind = {
  checkAddress(url) {
    if (url.hostname !== 'hooks.slack.com' || !url.pathname.startsWith('/services/')) {
      throw new Error('Expected the address of a Slack webhook: https://hooks.slack.com/services/…')
    }
  },

  buildRequest({ url }, message) {
    return { url, headers: {}, body: JSON.stringify({ ...write(message), unfurl_links: false, unfurl_media: false }) }
  },

  classify(answer) {
    const { status, response } = answer
    if (status === 404 || status === 410) return classifyAs('gone', `Slack says: ${response}`)
    if (status === 400 || status === 403) return classifyAs('dead', `Slack says: ${response}`)
    return classifyStatus(answer)
  },
}

/**
 * Untrusted text is written to plain text objects, in which Slack does not interpret markup or
 * mentions.
 */
function write(message: Message) {
  if ('text' in message) {
    const link = message.link === undefined ? [] : [createContextBlock(`<${message.link}|Open>`)]
    return {
      text: escapeEntities(message.text),
      blocks: [createPlainSection(fitText(message.text, MAX_CHARACTERS, (text) => text)), ...link],
    }
  }
  // Slack shows `text` in the notification and the blocks in the message.
  if ('digest' in message) {
    const { heading, alerts, link } = message.digest
    const blocks = alerts.slice(0, MAX_ALERTS).flatMap((alert) => {
      return writeBlocks(
        alert,
        fitLine(alert, (summary) => `${formatTitle(alert)}\n${summary}`),
      )
    })
    const end = [...formatRemaining(alerts.length - MAX_ALERTS), `<${link}|Open>`]
    return { text: heading, blocks: [createPlainSection(heading), ...blocks, createContextBlock(end.join(', '))] }
  }
  const { alert } = message
  const text = fitText(alert.summary, MAX_CHARACTERS, (summary) => `${formatTitle(alert)}\n${summary}`)
  return { text: escapeEntities(text), blocks: writeBlocks(alert, text) }
}

function writeBlocks(alert: AlertMessage, text: string) {
  const links = `<${alert.link}|Open>, <${alert.proofLink}|Proof>`
  return [createPlainSection(text), createContextBlock(`${alert.at}, ${alert.logIndexText}, ${links}`)]
}

const createPlainSection = (text: string) => ({ type: 'section', text: { type: 'plain_text', text, emoji: false } })
const createContextBlock = (text: string) => ({ type: 'context', elements: [{ type: 'mrkdwn', text, verbatim: true }] })

/** Escapes the characters that Slack requires. This also prevents mentions such as <!everyone>. */
function escapeEntities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
