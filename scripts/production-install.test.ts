import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Workspace {
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

const { packages }: { packages: Record<string, Workspace & { link?: boolean; resolved?: string }> } = JSON.parse(
  readFileSync('package-lock.json', 'utf8'),
)

/**
 * Returns the folders of all workspaces that npm installs if it installs those in `folders`. npm
 * follows their devDependencies too, even with --omit=dev.
 */
function listInstalledFolders(folders: string[]): string[] {
  const installedFolders = new Set(folders)
  for (const folder of installedFolders) {
    const { dependencies, devDependencies } = packages[folder] ?? {}
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      const { link, resolved } = packages[`node_modules/${name}`] ?? {}
      if (link && resolved) installedFolders.add(resolved)
    }
  }
  return [...installedFolders]
}

test('Dockerfile: installs the server without the demo', () => {
  const namedWorkspaces = Array.from(
    readFileSync('Dockerfile', 'utf8').matchAll(/ --workspace (\S+)/g),
    ([, folder = '']) => folder,
  )
  expect(namedWorkspaces).toContain('apps/server')
  expect(listInstalledFolders(namedWorkspaces)).not.toContain('apps/demo')
})
