import type { ClientMessage } from '@tocsin/protocol'
import { closeCodes } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import { NetworkQuotas } from '../../http/network-quotas.ts'
import { Refusal } from '../../refusal.ts'
import type { Scheduler } from '../../scheduler.ts'
import type { ContractEvidence } from '../wallets/stream-challenge.ts'
import type { RightsReader } from './authorization.ts'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'

export type AuthMessage = Extract<ClientMessage, { type: 'auth' }>

export type KeyMessage = Extract<ClientMessage, { type: 'auth_key' }>

export interface ProgramAuthenticator {
  /**
   * Sends the challenge, unless the program has a key, and closes the socket after a minute without
   * a successful authentication.
   */
  beginAuthentication(connection: Connection, hasKey: boolean): Promise<void>
  challenge(connection: Connection): Promise<void>
  /**
   * Returns true and assigns the socket to the wallet's account if the program has proved the
   * wallet. Otherwise sends the reason.
   */
  prove(connection: Connection, message: AuthMessage): Promise<boolean>
  /**
   * Like `prove`, for the API key in the message. If the message has no key, uses the key of the
   * handshake.
   */
  authenticateKey(connection: Connection, message: KeyMessage): Promise<boolean>
  deleteIdle(nowMs: number): void
  /**
   * Periodically checks that wallet contracts still accept the signatures of these sockets. Returns
   * a function that stops the checks.
   */
  watch(): () => void
}

const PROOFS_PER_MINUTE = 60
const DEADLINE_MS = 60_000
const CONTRACT_CHECK_MS = 300_000

/**
 * Handles sockets without a session. A wallet's signature over a nonce of the socket, or an API
 * key, authenticates them.
 */
export function createPrograms(
  ctx: Context,
  loader: RightsReader,
  connections: Connections,
  scheduler: Scheduler,
): ProgramAuthenticator {
  /** Quota per network, because checking a contract's signature costs a request to the chain. */
  const proofQuotas = new NetworkQuotas(PROOFS_PER_MINUTE, MINUTE_MS)

  const challenge = async (connection: Connection) => {
    const newChallenge = await loader.createChallenge(ctx)
    connection.program.setChallenge(newChallenge)
    const [issuedAt, expiresAt] = [newChallenge.issuedAt.toISOString(), newChallenge.expiresAt.toISOString()]
    connection.send({ type: 'challenge', ...newChallenge, issuedAt, expiresAt })
  }
  const fail = (connection: Connection, message: string) => {
    connection.leaveStream()
    connection.send({ type: 'authentication_failed', message })
  }
  /**
   * Asks the program to reconnect after a temporary error. `authentication_failed` is not sent,
   * because programs do not retry after it.
   */
  const refuseTemporarily = (connection: Connection, reason: string) => connection.end(closeCodes.restart, reason)

  return {
    async beginAuthentication(connection, hasKey) {
      const stopDeadline = scheduler.after(DEADLINE_MS, () => {
        if (!connection.isListening) connection.closeForViolation('No authentication before the deadline')
      })
      connection.transport.onClose(stopDeadline)
      if (!hasKey) await challenge(connection)
    },
    challenge,
    async prove(connection, message) {
      const issuedChallenge = connection.program.consumeChallenge()
      if (!proofQuotas.consume(connection.network, performance.now())) {
        refuseTemporarily(connection, 'Too many attempts')
        return false
      }
      const verdict = issuedChallenge
        ? await evaluate(ctx, loader, issuedChallenge, message)
        : { fault: 'Wait for the next challenge' }
      if (!connection.isOpen) return false
      if ('unavailable' in verdict) {
        refuseTemporarily(connection, verdict.unavailable)
        return false
      }
      if ('fault' in verdict) {
        fail(connection, verdict.fault)
        await challenge(connection)
        return false
      }
      connection.program.acceptProof({ evidence: verdict.evidence, usesSummaryFormat: message.format === 'summary' })
      connections.assign(connection, verdict.accountId)
      return true
    },
    async authenticateKey(connection, { apiKey, format }) {
      const usesSummaryFormat = format === 'summary'
      const { keyId } = connection.program
      if (apiKey === undefined) {
        if (keyId === null) fail(connection, 'apiKey: Expected an API key, here or in the handshake')
        else connection.program.acceptKey({ keyId, usesSummaryFormat })
        return keyId !== null
      }
      try {
        const { id, accountId } = await loader.authenticateKey(apiKey, connection.network)
        if (!connection.isOpen) return false
        connection.program.acceptKey({ keyId: id, usesSummaryFormat })
        connections.assign(connection, accountId)
        return true
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        if (error.status === 429) refuseTemporarily(connection, error.message)
        else fail(connection, error.message)
        return false
      }
    },
    deleteIdle: (nowMs) => proofQuotas.deleteIdle(nowMs),
    watch() {
      const check = async ({ program: { evidence } }: Connection) =>
        evidence === null || loader.isStillAccepted(ctx, evidence)
      const checkAll = async () => {
        for (const connection of connections.all()) {
          if (!(await check(connection)))
            connection.end(closeCodes.sessionEnded, 'The contract no longer accepts the signature of the wallet')
        }
      }
      return scheduler.every(CONTRACT_CHECK_MS, () => {
        checkAll().catch((error) => ctx.logger.error({ err: error }, 'rechecking contract wallets failed'))
      })
    },
  }
}

/** `unavailable`: the signature could not be verified, because the chain is unreachable. */
type Verdict = { accountId: string; evidence: ContractEvidence | null } | { fault: string } | { unavailable: string }

async function evaluate(
  ctx: Context,
  loader: RightsReader,
  challenge: Parameters<RightsReader['verifyResponse']>[1],
  message: AuthMessage,
): Promise<Verdict> {
  try {
    const { walletAddress, evidence } = await loader.verifyResponse(ctx, challenge, message)
    const accountId = await loader.findAccountOfWallet(walletAddress, evidence?.chainId ?? null)
    return accountId === null ? { fault: 'No account has this wallet' } : { accountId, evidence }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.code === 'unavailable' ? { unavailable: 'The chain does not respond' } : { fault: error.message }
  }
}
