import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { identifyProcess, isAlive } from './process-identity.ts'

type DataLock = { release(): void }

type Claim = { name: string; identity: string; isHeld: boolean }

const CLAIM_POLL_MS = 20

/**
 * Locks a data folder for this process. Throws an error for the operator if another process holds
 * the lock.
 *
 * Each process creates a claim in `dir/lock`, an empty file whose name identifies the process, and
 * reads the other claims: a running holder wins, otherwise the running candidate with the lowest
 * name. The claim of a running process is never removed or replaced, so two processes cannot both
 * take over a stale lock. A claim becomes invalid when its process ends, for any reason.
 */
export async function lockDataDir(dir: string): Promise<DataLock> {
  const folder = join(dir, 'lock')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const identity = identifyProcess(process.pid) ?? String(process.pid)
  const claim = join(folder, `${encodeURIComponent(identity)}~${randomUUID()}`)
  const release = (): void => {
    rmSync(`${claim}.held`, { force: true })
    rmSync(`${claim}.claim`, { force: true })
  }
  writeFileSync(`${claim}.claim`, '', { mode: 0o600 })
  try {
    await waitForTurn(dir, folder, basename(claim))
    // Creates a second file instead of renaming the first: a concurrent listing can miss a renamed
    // file.
    writeFileSync(`${claim}.held`, '', { mode: 0o600 })
  } catch (error) {
    release()
    throw error
  }
  return { release }
}

/** Returns true if a running process holds the lock of the data folder. */
export function isDataDirLocked(dir: string): boolean {
  const folder = join(dir, 'lock')
  return existsSync(folder) && readLiveClaims(folder).some((claim) => claim.isHeld)
}

async function waitForTurn(dir: string, folder: string, ownName: string): Promise<void> {
  while (true) {
    const otherClaims = readLiveClaims(folder).filter((claim) => claim.name !== ownName)
    const winner = otherClaims.find((claim) => claim.isHeld || claim.name < ownName)
    if (winner) throw new Error(formatLockRefusal(dir, winner))
    if (otherClaims.length === 0) return
    // Wait for the candidates with higher names. Each of them gives up when it sees this claim. A
    // candidate that listed the claims before this one existed becomes the holder.
    await new Promise((resolve) => setTimeout(resolve, CLAIM_POLL_MS))
  }
}

function formatLockRefusal(dir: string, claim: Claim): string {
  const pid = Number.parseInt(claim.identity, 10)
  return `Tocsin is already running on ${resolve(dir)} (process ${pid}). Stop it first, or set DATA_DIR to another folder.`
}

function readLiveClaims(folder: string): Claim[] {
  const entries = readdirSync(folder)
  const claims: Claim[] = []
  for (const entry of entries) {
    if (!entry.endsWith('.claim')) continue
    const name = entry.slice(0, -'.claim'.length)
    const identity = decodeURIComponent(name.slice(0, name.indexOf('~')))
    if (isAlive(identity)) claims.push({ name, identity, isHeld: entries.includes(`${name}.held`) })
    else for (const suffix of ['.held', '.claim']) rmSync(join(folder, name + suffix), { force: true })
  }
  return claims
}
