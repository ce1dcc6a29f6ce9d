import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { SyslogTarget } from '../../config.ts'

export interface SyslogSender {
  /** Resolves when the operating system has accepted the messages. Rejects after a timeout. */
  send(messages: readonly string[]): Promise<void>
  close(): void
}

/** Maximum size of a datagram. Receivers should accept at least 2,048 bytes (RFC 5426, 3.2). */
const MAX_DATAGRAM = 2_048
const TIMEOUT_MS = 5_000

/**
 * Sends syslog messages. Over UDP, each message is one datagram (RFC 5426). Over TCP and TLS, each
 * message follows its length (RFC 6587, RFC 5425). Syslog has no acknowledgement, so the sender
 * does not notice messages that are lost after the operating system has accepted them.
 */
export function createSyslogSender(target: SyslogTarget): SyslogSender {
  return target.protocol === 'udp' ? createDatagramSender(target) : createStreamSender(target)
}

function createDatagramSender({ host, port }: SyslogTarget): SyslogSender {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  socket.unref()
  // An error is reported for a datagram that the receiver rejected, but UDP does not say for which
  // one. So errors are ignored.
  socket.on('error', () => {})
  return {
    async send(messages) {
      for (const message of messages) {
        const bytes = Buffer.from(message).subarray(0, MAX_DATAGRAM)
        await new Promise<void>((resolve, reject) =>
          socket.send(bytes, port, host, (error) => (error ? reject(error) : resolve())),
        )
      }
    },
    close: () => void socket.close(),
  }
}

function createStreamSender({ protocol, host, port }: SyslogTarget): SyslogSender {
  let openSocket: Socket | null = null
  const dropSocket = () => {
    openSocket?.destroy()
    openSocket = null
  }
  const connect = async (): Promise<Socket> => {
    const isTls = protocol === 'tls'
    const socket = isTls ? connectTls({ host, port, servername: host }) : connectTcp({ host, port })
    // Without a listener, an error would end the process. `close` follows each error.
    socket.on('error', () => {})
    socket.on('close', () => {
      if (openSocket === socket) openSocket = null
    })
    // Receivers send nothing, but only a socket that is read notices that the connection was
    // closed.
    socket.resume()
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    try {
      await once(socket, isTls ? 'secureConnect' : 'connect', { signal })
    } catch (error) {
      socket.destroy()
      throw error
    }
    return socket
  }
  return {
    async send(messages) {
      openSocket ??= await connect()
      const socket = openSocket
      const framedMessages = messages.map((message) => `${Buffer.byteLength(message)} ${message}`).join('')
      try {
        await new Promise<void>((resolve, reject) => {
          const timer = setTimeout(() => reject(new Error('The syslog receiver does not read')), TIMEOUT_MS)
          const end = (error?: Error | null) => {
            clearTimeout(timer)
            socket.off('close', onClose)
            if (error) reject(error)
            else resolve()
          }
          const onClose = () => end(new Error('The syslog receiver closed the connection'))
          socket.once('close', onClose)
          socket.write(framedMessages, end)
        })
      } catch (error) {
        dropSocket()
        throw error
      }
    },
    close: dropSocket,
  }
}
