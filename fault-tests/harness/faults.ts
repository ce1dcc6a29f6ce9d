import { setTimeout as delay } from 'node:timers/promises'
import { openClient } from '@tocsin/server/db/connection.ts'
import type { TcpProxy } from '@tocsin/testkit'
import type pg from 'pg'
import type { Chain } from './chain.ts'
import type { Cluster } from './cluster.ts'
import type { Feed } from './feed.ts'
import type { Instance } from './instances.ts'
import type { ExpectedReadiness, FaultRecord } from './journal.ts'
import { type FaultName, faultKinds, findReadinessStatement, UPGRADE } from './kinds.ts'
import { DATABASE } from './postgres-node.ts'
import type { Release } from './release.ts'
import { type PlannedFault, pickByChoice } from './schedule.ts'

/** All parts of the product and its environment that can fail. */
export interface TestEnvironment {
  cluster: Cluster
  chain: Chain
  feed: Feed
  instances: readonly Instance[]
  /** The release that instances run after an upgrade. */
  newest: Release
  /** Proxy through which every second subscriber connects. */
  streams: TcpProxy
  random: () => number
}

/** A fault that was injected. `heal` resolves when the failed part works again for its callers. */
interface InjectedFault {
  target: string
  heal(): Promise<void>
  /** Instances whose /readyz must report the fault until it is healed. */
  affected?: readonly Instance[]
}

type FaultInjector = (environment: TestEnvironment, choice: number) => Promise<InjectedFault>

/**
 * Maximum number of rounds to occupy all connections, because the product may reconnect faster than
 * the harness.
 */
const ROUNDS = 200
/** Time after which PostgreSQL lists a connection that is being opened. */
const CONNECTION_OPEN_MS = 300
/** Time after which nginx sends requests to a restarted instance again. */
const NGINX_RETRY_MS = 4_000

const doNothing = async () => {}
const limits = { connectMs: 2_000, statementMs: 5_000, lockMs: 0, idleInTransactionMs: 0, silenceMs: 0 }

async function findLeader({ instances }: Pick<TestEnvironment, 'instances'>): Promise<Instance> {
  for (;;) {
    for (const instance of instances) {
      if (instance.isRunning() && (await instance.listLedJobs()).includes('feed')) return instance
    }
    await delay(200)
  }
}

const chooseFollower: Chooser = async (environment, choice) => {
  const leader = await findLeader(environment)
  return pickByChoice(
    environment.instances.filter((instance) => instance !== leader),
    choice,
  )
}
type Chooser = (environment: TestEnvironment, choice: number) => Promise<Instance>

const endInstance =
  (choose: Chooser, signal: 'SIGKILL' | 'SIGTERM'): FaultInjector =>
  async (environment, choice) => {
    const instance = await choose(environment, choice)
    const instanceEnd = instance.end(signal)
    if (signal === 'SIGKILL') await instanceEnd
    return {
      target: instance.name,
      affected: [instance],
      async heal() {
        await instanceEnd
        instance.start()
        await instance.waitUntilReady()
      },
    }
  }

const freezeInstance =
  (choose: Chooser): FaultInjector =>
  async (environment, choice) => {
    const instance = await choose(environment, choice)
    instance.freeze()
    return {
      target: instance.name,
      affected: [instance],
      heal: async () => instance.thaw(),
    }
  }

const setClock =
  (choose: Chooser): FaultInjector =>
  async (environment, choice) => {
    const instance = await choose(environment, choice)
    const aheadMs = pickByChoice([3_600_000, -3_600_000, 300_000, 400 * 86_400_000], environment.random())
    instance.setClock(aheadMs)
    return {
      target: `${instance.name}, ${Math.round(aheadMs / 60_000)} min`,
      affected: [instance],
      heal: async () => instance.setClock(0),
    }
  }

/**
 * Ends the chain node and cuts the network to it. The node restarts immediately, so ending it alone
 * would be a very short fault.
 */
const endChainNode =
  (signal: 'SIGKILL' | 'SIGTERM'): FaultInjector =>
  async ({ chain, instances }) => {
    chain.endNode(signal)
    chain.proxy.resetConnections()
    return { target: 'node', affected: instances, heal: async () => chain.proxy.heal() }
  }

/** Creates a fault of the database, during which all instances are unready. */
const createDatabaseFault =
  (target: string, inject: (environment: TestEnvironment) => Promise<() => Promise<void>>): FaultInjector =>
  async (environment) => {
    const heal = await inject(environment)
    return { target, heal, affected: environment.instances }
  }

const injections: Record<FaultName, FaultInjector> = {
  'kill -9 of an instance': endInstance(chooseFollower, 'SIGKILL'),
  'kill -9 of the leader': endInstance(findLeader, 'SIGKILL'),
  'SIGTERM of an instance': endInstance(chooseFollower, 'SIGTERM'),
  'SIGTERM of the leader': endInstance(findLeader, 'SIGTERM'),
  'SIGSTOP of an instance': freezeInstance(chooseFollower),
  'SIGSTOP of the leader': freezeInstance(findLeader),
  'kill -9 of the database': createDatabaseFault('primary', async ({ cluster }) => {
    const node = cluster.primary()
    await node.kill()
    return async () => {
      node.start()
      await node.waitUntilReady()
    }
  }),
  'fast shutdown of the database': createDatabaseFault('primary', async ({ cluster }) => {
    const node = cluster.primary()
    await node.stop()
    return async () => {
      node.start()
      await node.waitUntilReady()
    }
  }),
  'failover of the database': createDatabaseFault('primary', async ({ cluster, instances }) => {
    const failover = cluster.failOver()
    return async () => {
      const { port } = await failover
      for (const instance of instances) instance.databaseProxy.pointTo(port)
    }
  }),
  'SIGSTOP of the database': createDatabaseFault('primary', async ({ cluster }) => {
    const node = cluster.primary()
    node.freeze()
    return async () => node.thaw()
  }),
  'black-holed database connections': async (environment, choice) => {
    const instance = pickByChoice(environment.instances, choice)
    instance.databaseProxy.dropData()
    instance.databaseProxy.heal()
    return { target: instance.name, heal: doNothing }
  },
  'instance cut off from the database': async (environment, choice) => {
    const instance = pickByChoice(environment.instances, choice)
    instance.databaseProxy.dropData()
    return {
      target: instance.name,
      affected: [instance],
      heal: async () => instance.databaseProxy.heal(),
    }
  },
  'slow database connections': async ({ instances, random }) => {
    const delayMs = Math.round(50 + 150 * random())
    for (const { databaseProxy } of instances) databaseProxy.setDelay(delayMs)
    return {
      target: `${delayMs} ms each way`,
      heal: async () => {
        for (const { databaseProxy } of instances) databaseProxy.setDelay(0)
      },
    }
  },
  'no free database connections': createDatabaseFault('primary', async ({ cluster }) => {
    const heldConnections = await takeAllConnections(cluster)
    return async () => void (await Promise.all(heldConnections.map((connection) => connection.end())))
  }),
  'full disk of the database': async (environment) => {
    const [disk, node] = [environment.cluster.disk(), environment.cluster.primary()]
    disk.fill()
    // The leader writes all the time and notices the fault immediately. The other instances notice
    // it with their next write, after up to 10 s.
    const leader = await findLeader(environment)
    return {
      target: 'primary',
      affected: [leader],
      async heal() {
        disk.free()
        await node.waitUntilReady()
      },
    }
  },
  'black-holed streams': async ({ streams }) => {
    streams.dropData()
    streams.heal()
    return { target: 'every second subscriber', heal: doNothing }
  },
  'slow streams': async ({ streams, random }) => {
    const delayMs = Math.round(200 + 800 * random())
    streams.setDelay(delayMs)
    return { target: `every second subscriber, ${delayMs} ms each way`, heal: async () => streams.setDelay(0) }
  },
  'SIGTERM of the chain node': endChainNode('SIGTERM'),
  'kill -9 of the chain node': endChainNode('SIGKILL'),
  'black-holed chain node': async ({ chain, instances }) => {
    chain.proxy.dropData()
    return {
      target: 'node',
      affected: instances,
      heal: async () => chain.proxy.heal(),
    }
  },
  'chain reorganisation': async ({ chain, random }) => {
    const depth = pickByChoice([1, 2, 3, 6], random())
    await chain.reorganise(depth)
    return { target: `${depth} blocks`, heal: () => chain.mine() }
  },
  'clock step of an instance': setClock(chooseFollower),
  'clock step of the leader': setClock(findLeader),
  'duplicate and reordered signals': async ({ feed, random }) => {
    feed.resendDisordered(random)
    return { target: 'feed', heal: doNothing }
  },
  'lost feed connection': async ({ feed, instances }) => {
    feed.refuse()
    return { target: 'feed', affected: instances, heal: async () => feed.accept() }
  },
  'rolling restart': async ({ instances }) => ({
    target: 'all instances in turn',
    heal: () => restartInTurn(instances),
  }),
  [UPGRADE]: async ({ instances, newest }) => {
    const [first, ...otherInstances] = instances
    for (const instance of instances) instance.install(newest)
    if (first) await restartInTurn([first])
    return { target: 'all instances in turn', heal: () => restartInTurn(otherInstances) }
  },
}

/**
 * Restarts the instances as docs/operating.md tells operators: the next one follows when nginx uses
 * the previous one again.
 */
async function restartInTurn(instances: readonly Instance[]): Promise<void> {
  for (const instance of instances) {
    await instance.end('SIGTERM')
    instance.start()
    await instance.waitUntilReady()
    if (instance !== instances.at(-1)) await delay(NGINX_RETRY_MS)
  }
}

/** Injects a fault, waits for its duration, heals it, and returns a record of it. */
export async function runFault(environment: TestEnvironment, { name, choice }: PlannedFault): Promise<FaultRecord> {
  const injectedAtMs = Date.now()
  const { target, heal, affected = [] } = await injections[name](environment, choice)
  const completeAtMs = Date.now()
  await delay(faultKinds[name].holdMs)
  const healsAtMs = Date.now()
  await heal()
  const expectedState = findReadinessStatement(name)?.expectedState
  const expectedReadiness = affected.flatMap(({ name }): ExpectedReadiness[] =>
    expectedState === undefined ? [] : [{ instance: name, fromMs: completeAtMs, untilMs: healsAtMs, expectedState }],
  )
  return { name, target, injectedAtMs, healedAtMs: Date.now(), endedAtMs: 0, expectedReadiness }
}

/** Ends the connections of the product one after the other and occupies their slots. */
async function takeAllConnections(cluster: Cluster): Promise<pg.Client[]> {
  const node = cluster.primary()
  const heldConnections: pg.Client[] = []
  const takeFreeConnections = async () => {
    for (;;) {
      const client = await openClient(node.url('postgres'), limits).catch(() => null)
      if (client === null) return
      heldConnections.push(client)
    }
  }
  await takeFreeConnections()
  let roundsWithoutChange = 0
  for (let round = 0; round < ROUNDS && roundsWithoutChange < 2; round += 1) {
    const terminated = await heldConnections[0]?.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${DATABASE}' limit 3`,
    )
    // Wait once, because a connection that is still being opened is not listed yet.
    roundsWithoutChange = terminated?.rowCount ? 0 : roundsWithoutChange + 1
    if (roundsWithoutChange === 1) await delay(CONNECTION_OPEN_MS)
    await takeFreeConnections()
  }
  return heldConnections
}
