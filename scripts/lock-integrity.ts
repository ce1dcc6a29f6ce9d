import { readFileSync } from 'node:fs'

interface LockEntry {
  resolved?: string
  integrity?: string
  link?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
}

/**
 * What is wrong with the entries of a package-lock.json: a missing hash, or the address of a
 * registry.
 */
export function findLockProblems(text: string): string[] {
  const lock: { packages: Record<string, LockEntry> } = JSON.parse(text)
  return Object.entries(lock.packages).flatMap(([path, entry]) => {
    if (!path.includes('node_modules/') || entry.link) return []
    const isUnhashed = entry.integrity === undefined && !isForeignBinary(entry)
    return [
      ...(isUnhashed ? [`${path} has no integrity hash`] : []),
      ...(entry.integrity?.startsWith('sha1-') ? [`${path} has a SHA-1 hash`] : []),
      ...(entry.resolved === undefined ? [] : [`${path} names a registry: ${entry.resolved}`]),
    ]
  })
}

/**
 * Optional binaries for other platforms than Linux x64 with glibc, where the product is built and
 * tested. Registries that mirror only what they serve do not have their hashes, so npm writes none.
 */
function isForeignBinary({ optional, os = [], cpu = [], libc = [] }: LockEntry): boolean {
  const isHere = [
    os.length === 0 || os.includes('linux'),
    cpu.length === 0 || cpu.includes('x64'),
    libc.length === 0 || libc.includes('glibc'),
  ].every(Boolean)
  return optional === true && !isHere
}

export function checkLock(): { code: number; output: string } {
  const problems = findLockProblems(readFileSync('package-lock.json', 'utf8'))
  return { code: problems.length > 0 ? 1 : 0, output: [...problems, ''].join('\n') }
}
