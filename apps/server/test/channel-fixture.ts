import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Alert, RequestBody } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { fakeClock, startTestChain, startTestDatabase, type TestClient } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { startTestServer } from '@tocsin/testkit/server'
import { expect } from 'vitest'
import { issueTestAlert } from './support/issue-test-alert.ts'

interface WebhookMessage {
  path: string
  id: string
  body: { type: string; data: { alert?: Alert; alerts?: { alert: Alert }[]; text?: string; acknowledgeUrl?: string } }
}

export interface DestinationOwner {
  client: TestClient
  accountId: string
  id: string
}

export type ChannelFixture = Awaited<ReturnType<typeof startChannelFixture>>

/** Starts a server with a fake clock, and a server on this machine for the webhooks of accounts. */
export async function startChannelFixture(startAt = new Date(), config: Parameters<typeof startTestServer>[1] = {}) {
  const messages: WebhookMessage[] = []
  /** Statuses of responses that are not 200, by path. */
  const statuses = new Map<string, number>()
  /** Promises that delay responses until they resolve, by path. */
  const gates = new Map<string, Promise<void>>()
  const webhookServer = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', async () => {
      const path = request.url ?? ''
      const body = JSON.parse(text)
      const status = statuses.get(path) ?? 200
      if (status === 200) messages.push({ path, id: String(request.headers['webhook-id']), body })
      await gates.get(path)
      response.writeHead(status).end(JSON.stringify({ challenge: body.data.challenge }))
    })
  })
  await new Promise<void>((resolve) => webhookServer.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(webhookServer.address() as AddressInfo).port}`
  const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
  const clock = fakeClock(startAt)
  const server = await startTestServer({ database, chain }, { http: { trustedProxies: 1 }, ...config }, { clock })
  let names = 0

  const signIn = async (planMs: number | null = 1_000 * HOUR_MS) => {
    names += 1
    const { client, accountId } = await server.addUser({ planMs, network: `198.18.0.${names}` })
    return { client, accountId }
  }
  const addTo = async (account: Omit<DestinationOwner, 'id'>, path: string): Promise<DestinationOwner> => {
    // Advance the clock, because lists order destinations by their creation time.
    clock.advance(1)
    const { destination } = await account.client.call('createDestination', { body: { name: path, url: url + path } })
    const { id } = destination
    expect(await account.client.call('confirmDestination', { params: { id } })).toMatchObject({ isDelivered: true })
    return { ...account, id }
  }
  const findLedgerRow = async ({ client, id }: Pick<DestinationOwner, 'client' | 'id'>, logIndex: number) =>
    (await client.call('listChannelDeliveries', { params: { id } })).find((row) => row.logIndex === logIndex)
  return {
    server,
    clock,
    messages,
    statuses,
    gates,
    signIn,
    addTo,
    ledgerOf: findLedgerRow,
    async add(path: string, planMs?: number | null): Promise<DestinationOwner> {
      return addTo(await signIn(planMs), path)
    },
    change({ client, id }: Pick<DestinationOwner, 'client' | 'id'>, body: RequestBody<'changeDestination'>) {
      return client.call('changeDestination', { params: { id }, body })
    },
    issue: (summary: string, change?: Parameters<typeof issueTestAlert>[2]) =>
      issueTestAlert(server.ctx, summary, change),
    /** Waits until the delivery ledger has a row with these fields. */
    expectRow(own: Pick<DestinationOwner, 'client' | 'id'>, logIndex: number, row: object) {
      return eventually(async () => expect(await findLedgerRow(own, logIndex)).toMatchObject(row))
    },
    /** Returns the summaries of the alerts that a path got as single messages. */
    alertsAt: (path: string) =>
      messages.flatMap(({ path: at, body }) =>
        at === path && body.type === 'alert.created' ? [body.data.alert?.summary ?? ''] : [],
      ),
    /** Returns the summaries in each digest that a path got. */
    digestsAt: (path: string) =>
      messages.flatMap(({ path: at, body }) =>
        at === path && body.type === 'alert.digest' ? [body.data.alerts?.map(({ alert }) => alert.summary) ?? []] : [],
      ),
    async close() {
      await server.close()
      webhookServer.close()
      webhookServer.closeAllConnections()
      await Promise.all([database.stop(), chain.stop()])
    },
  }
}
