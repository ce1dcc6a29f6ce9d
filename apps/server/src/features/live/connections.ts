import { closeCodes } from '@tocsin/protocol'
import type { Connection } from './connection.ts'

const SOCKETS_PER_ACCOUNT = 5

/** The open sockets of this instance, also by account. */
export class Connections {
  readonly #all = new Set<Connection>()
  readonly #byAccount = new Map<string, Set<Connection>>()

  get size(): number {
    return this.#all.size
  }

  all(): Iterable<Connection> {
    return this.#all
  }

  ofAccount(accountId: string): Iterable<Connection> {
    return this.#byAccount.get(accountId) ?? []
  }

  /** Takes it in; the account's oldest socket makes room. */
  add(connection: Connection): void {
    const { accountId } = connection
    const mine = this.#byAccount.get(accountId) ?? new Set()
    const [oldest] = mine
    if (oldest && mine.size >= SOCKETS_PER_ACCOUNT) {
      this.remove(oldest)
      oldest.end(closeCodes.tooManySockets, `More than ${SOCKETS_PER_ACCOUNT} sockets of one account`)
    }
    this.#all.add(connection)
    this.#byAccount.set(accountId, mine.add(connection))
  }

  remove(connection: Connection): void {
    const { accountId } = connection
    const mine = this.#byAccount.get(accountId)
    this.#all.delete(connection)
    mine?.delete(connection)
    if (mine?.size === 0) this.#byAccount.delete(accountId)
  }
}
