import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openClient } from '@tocsin/server/db/connection.ts'
import { createPostgresNode, DATABASE, type PostgresNode } from './postgres-node.ts'
import { createSmallDisk, type SmallDisk } from './small-disk.ts'

/** A primary PostgreSQL with a synchronous streaming replica, each on a small disk. */
export interface Cluster {
  primary(): PostgresNode
  disk(): SmallDisk
  /**
   * Kills the primary permanently and promotes the replica. With synchronous replication nothing
   * that was committed is lost.
   * @returns the new primary
   */
  failOver(): Promise<PostgresNode>
  /**
   * Makes the former primary a replica of the new one. From then on, commits wait for the replica.
   */
  restoreReplica(): Promise<void>
  stop(): Promise<void>
}

interface Member {
  node: PostgresNode
  disk: SmallDisk
}

const POLL_MS = 100
const STREAMING = "select 1 from pg_stat_replication where state = 'streaming'"
const limits = { connectMs: 5_000, statementMs: 0, lockMs: 0, idleInTransactionMs: 0, silenceMs: 0 }

export async function startCluster(dir: string): Promise<Cluster> {
  const [firstMember, secondMember] = await Promise.all(
    ['a', 'b'].map((name) => createMember(join(dir, `database-${name}`))),
  )
  if (!firstMember || !secondMember) throw new Error('Two nodes were created')
  let primaryMember: Member = firstMember
  let standbyMember: Member = secondMember
  await primaryMember.node.create()
  primaryMember.node.start()
  await primaryMember.node.waitUntilReady()
  await primaryMember.node.query(`create database ${DATABASE}`, 'postgres')

  const restoreReplica = async () => {
    await standbyMember.node.kill()
    await copyCluster(primaryMember.node, standbyMember.node)
    standbyMember.node.start()
    await standbyMember.node.waitUntilReady()
    while ((await primaryMember.node.query(STREAMING, 'postgres')).length === 0) await delay(POLL_MS)
    await setSynchronousStandbys(primaryMember.node, 'replica')
  }
  await restoreReplica()
  return {
    primary: () => primaryMember.node,
    disk: () => primaryMember.disk,
    async failOver() {
      await primaryMember.node.kill()
      ;[primaryMember, standbyMember] = [standbyMember, primaryMember]
      await primaryMember.node.query('select pg_promote()', 'postgres')
      // Disable synchronous replication, because there is no replica now.
      await setSynchronousStandbys(primaryMember.node, '')
      return primaryMember.node
    },
    restoreReplica,
    async stop() {
      await Promise.all([primaryMember.node.kill(), standbyMember.node.kill()])
      for (const { disk } of [primaryMember, standbyMember]) disk.remove()
    },
  }
}

async function createMember(dir: string): Promise<Member> {
  const disk = createSmallDisk(dir)
  chmodSync(dir, 0o755)
  return { disk, node: await createPostgresNode(dir) }
}

async function setSynchronousStandbys(node: PostgresNode, names: string): Promise<void> {
  await node.query(`alter system set synchronous_standby_names = '${names}'`, 'postgres')
  await node.query('select pg_reload_conf()', 'postgres')
}

/**
 * Makes `to` a streaming replica of `from`. The replica streams the write-ahead log since the start
 * of the copy.
 */
export async function copyCluster(from: PostgresNode, to: PostgresNode): Promise<void> {
  await takeBaseBackup(from, to.dataDir)
  const source = `host=127.0.0.1 port=${from.port} user=tocsin application_name=replica`
  writeOwned(to.dataDir, 'standby.signal', '')
  writeOwned(to.dataDir, 'postgresql.auto.conf', `primary_conninfo = '${source}'\n`)
}

/**
 * Takes a base backup by the low-level API (PostgreSQL manual, 25.3.4), because the embedded
 * binaries do not contain pg_basebackup. The backup contains no write-ahead log.
 */
export async function takeBaseBackup(from: PostgresNode, folder: string): Promise<void> {
  const client = await openClient(from.url('postgres'), limits)
  try {
    await client.query("select pg_backup_start('base', true)")
    rmSync(folder, { recursive: true, force: true })
    copyFiles(from.dataDir, folder)
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    writeOwned(folder, 'backup_label', rows[0]?.labelfile ?? '')
    for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(folder, name), { force: true })
    const walFolder = join(folder, 'pg_wal')
    for (const name of readdirSync(walFolder)) if (/^[0-9A-F]{24}$/.test(name)) rmSync(join(walFolder, name))
  } finally {
    await client.end()
  }
}

/** Writes a file of a cluster. The file gets the owner of its folder, which may be another user. */
export function writeOwned(folder: string, name: string, text: string): void {
  const { uid, gid } = statSync(folder)
  writeFileSync(join(folder, name), text)
  chownSync(join(folder, name), uid, gid)
}

export function copyFiles(from: string, to: string): void {
  try {
    execFileSync('cp', ['-a', from, to], { stdio: 'ignore' })
  } catch {
    // Files may vanish during the copy: replaying the write-ahead log restores their state.
  }
}
