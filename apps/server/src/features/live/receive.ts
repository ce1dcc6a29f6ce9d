import { type ClientMessage, closeCodes } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import type { RawData, WebSocket } from 'ws'
import type { Context } from '../../context.ts'
import { Quota } from '../../quota.ts'
import { parseClientMessage } from './client-message.ts'
import type { Connection } from './connection.ts'
import type { AuthMessage, KeyMessage, ProgramAuthenticator } from './programs.ts'
import type { Stream } from './stream.ts'

const MESSAGES_PER_MINUTE = 100

/**
 * Processes a client's messages in order. An `authenticate`, `auth` or `auth_key` message that has
 * wrong fields or is of the wrong type for the socket gets `authentication_failed`. Any other
 * message outside the protocol (not JSON, not text, unknown type) closes the socket with 1008. More
 * than 100 messages a minute, including pings and unsolicited pongs, also close it.
 */
export function receiveMessages(
  ctx: Context,
  { stream, programs }: { stream: Stream; programs: ProgramAuthenticator },
  connection: Connection,
  ws: WebSocket,
): void {
  const quota = new Quota(MESSAGES_PER_MINUTE, MINUTE_MS)
  let lastMessageWork: Promise<void> | null = null

  const consumeMessageQuota = (): boolean => {
    if (!connection.isOpen) {
      connection.liveness.handleLateMessage()
      return false
    }
    if (quota.consume(performance.now())) return true
    connection.closeForViolation('Too many messages')
    return false
  }
  const fail = (message: string) => connection.send({ type: 'authentication_failed', message })

  const authenticate = async (message: ClientMessage) => {
    connection.setProofFormat(message.proofs === 'compact')
    if (connection.sessionId !== null) {
      if (message.type === 'authenticate') return stream.authenticate(connection, message.walletAddress, message)
      return fail('This socket has a session: send authenticate')
    }
    if (message.type === 'auth') return authenticateProgram(message)
    if (message.type === 'auth_key') return authenticateKey(message)
    fail('This socket has no session: send auth or auth_key')
  }

  const authenticateProgram = async (message: AuthMessage) => {
    if (!(await programs.prove(connection, message))) return
    await stream.authenticate(connection, message.walletAddress, message)
    if (connection.isOpen && !connection.isListening) await programs.challenge(connection)
  }

  const authenticateKey = async (message: KeyMessage) => {
    if (await programs.authenticateKey(connection, message)) await stream.authenticate(connection, null, message)
  }

  const authenticateAfter = async (previousWork: Promise<void> | null, message: ClientMessage) => {
    await previousWork
    if (!connection.isOpen) return
    try {
      await authenticate(message)
    } catch (error) {
      ctx.logger.error({ err: error }, 'authenticating a socket failed')
      connection.end(closeCodes.restart, 'Connect again')
    }
  }

  const receive = (raw: RawData, isBinary: boolean) => {
    if (!consumeMessageQuota()) return
    const parsedMessage = isBinary ? ({ kind: 'malformed' } as const) : parseClientMessage(raw.toString())
    if (parsedMessage.kind === 'malformed') return connection.closeForViolation('Malformed message')
    if (parsedMessage.kind === 'failed-authentication') return fail(parsedMessage.reason)
    const runningWork = authenticateAfter(lastMessageWork, parsedMessage.message).finally(() => {
      if (lastMessageWork === runningWork) lastMessageWork = null
    })
    lastMessageWork = runningWork
  }

  ws.on('message', receive)
  ws.on('ping', consumeMessageQuota)
  ws.on('pong', () => {
    if (!connection.liveness.handlePong()) consumeMessageQuota()
  })
}
