import { closeCodes } from '@tocsin/protocol'
import type { Connection } from './connection.ts'

const SOCKETS_PER_ACCOUNT = 5

/** The open sockets of this instance, indexed by account. */
export class Connections {
  readonly #all = new Set<Connection>()
  readonly #byAccount = new Map<string, Set<Connection>>()

  get size(): number {
    return this.#all.size
  }

  /** The number of sockets that receive alerts. */
  get listeningCount(): number {
    let count = 0
    for (const { isListening } of this.#all) if (isListening) count += 1
    return count
  }

  all(): Iterable<Connection> {
    return this.#all
  }

  ofAccount(accountId: string): Iterable<Connection> {
    return this.#byAccount.get(accountId) ?? []
  }

  /**
   * Adds a connection. If the account then has too many, the oldest page is closed, because a page
   * reconnects when its tab becomes visible. If the account has no page, the oldest program is
   * closed.
   */
  add(connection: Connection): void {
    this.#all.add(connection)
    if (connection.accountId !== null) this.#addToAccount(connection, connection.accountId)
  }

  /**
   * Assigns a program's connection to its account. Pages and programs share one limit per account.
   */
  assign(connection: Connection, accountId: string): void {
    if (connection.accountId === accountId) return
    this.#removeFromAccount(connection)
    connection.assignAccount(accountId)
    this.#addToAccount(connection, accountId)
  }

  remove(connection: Connection): void {
    this.#all.delete(connection)
    this.#removeFromAccount(connection)
  }

  #addToAccount(connection: Connection, accountId: string): void {
    const accountConnections = this.#byAccount.get(accountId) ?? new Set()
    const [oldestConnection] = accountConnections
    if (oldestConnection && accountConnections.size >= SOCKETS_PER_ACCOUNT) {
      const excessConnection = [...accountConnections].find(({ sessionId }) => sessionId !== null) ?? oldestConnection
      this.remove(excessConnection)
      excessConnection.end(closeCodes.tooManySockets, `More than ${SOCKETS_PER_ACCOUNT} sockets of one account`)
    }
    this.#byAccount.set(accountId, accountConnections.add(connection))
  }

  #removeFromAccount(connection: Connection): void {
    if (connection.accountId === null) return
    const accountConnections = this.#byAccount.get(connection.accountId)
    accountConnections?.delete(connection)
    if (accountConnections?.size === 0) this.#byAccount.delete(connection.accountId)
  }
}
