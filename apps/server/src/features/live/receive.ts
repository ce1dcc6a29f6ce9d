import { closeCodes } from '@tocsin/protocol'
import type { RawData, WebSocket } from 'ws'
import type { Context } from '../../context.ts'
import { parseClientMessage } from './client-message.ts'
import type { Connection } from './connection.ts'
import type { Stream } from './stream.ts'

/**
 * Reads what a client says, one message after the other. An `authenticate` with wrong fields is answered with `authentication_failed`; any
 * other message outside the protocol (not JSON, not text, of an unknown type) closes the socket with 1008, as does the hundred-and-first
 * message of a minute.
 */
export function receiveMessages(ctx: Context, stream: Stream, connection: Connection, ws: WebSocket): void {
  const spend = (): boolean => {
    if (connection.quota.take(performance.now())) return true
    connection.breakRules('Too many messages')
    return false
  }

  const authenticate = async (walletAddress: string, lastIndex: number | undefined) => {
    if (!connection.isOpen) return
    try {
      await stream.authenticate(connection, walletAddress, lastIndex)
    } catch (error) {
      ctx.logger.error({ err: error }, 'authenticating a socket failed')
      connection.end(closeCodes.restart, 'Connect again')
    }
  }

  const receive = (raw: RawData, isBinary: boolean) => {
    if (!connection.isOpen || !spend()) return
    const parsed = isBinary ? ({ kind: 'malformed' } as const) : parseClientMessage(raw.toString())
    if (parsed.kind === 'malformed') return connection.breakRules('Malformed message')
    if (parsed.kind === 'failed-authentication') {
      return connection.send({ type: 'authentication_failed', message: parsed.reason })
    }
    const { walletAddress, lastIndex } = parsed.message
    connection.work = connection.work.then(() => authenticate(walletAddress, lastIndex))
  }

  ws.on('message', receive)
  ws.on('ping', spend)
}
