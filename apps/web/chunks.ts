import { fileURLToPath } from 'node:url'

/** What the bundler knows of a module. */
interface Graph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null
}

const source = fileURLToPath(new URL('src/', import.meta.url))
const plans = fileURLToPath(new URL('../../packages/protocol/src/plans.ts', import.meta.url))
/** What each part of the site imports at once. */
const parts = {
  landing: [`${source}features/landing/landing.tsx`, plans],
  app: [`${source}main.ts`, `${source}app.tsx`],
  'signed-in': [`${source}features/dashboard/signed-in-layout.tsx`],
}
const react = /\/node_modules\/(?:react|react-dom|scheduler)\//
const isLandingItself = /\/src\/(?:features\/landing\/|texts\/landing\.)/
const isForLanding = /\/node_modules\/(?:@radix-ui\/react-(?:slot|compose-refs)|lucide-react\/dist\/esm\/(?!icons\/))/
const isForApp = /\/node_modules\/(?:@tanstack|zod|use-sync-external-store)\/|\/packages\/protocol\/src\/(?!admin)/
/** Names all that a package has: which of it is used shows only once the rest has been dropped. */
const index = /\/node_modules\/(?:radix-ui|lucide-react|zod|@tanstack)\/|\/packages\/\w+\/src\/index\.ts$/
/** The page's own script keeps its name and needs no other at once; styles and what the bundler adds stay where they are needed. */
const left = [...parts.app, `${source}a-turn.ts`]
const isLeft = (id: string) => left.includes(id) || id.startsWith('\0') || id.endsWith('.css')

/**
 * Few files in place of one for each set of users: every file costs a request, and over HTTP/1.1 a browser makes six at a time. What the landing
 * page has in common with others is one file, what the app needs on every page a second, what all signed-in pages need a third.
 */
function nameChunk() {
  let needed: { app: Set<string>; landing: Set<string>; signedIn: Set<string> } | undefined
  return (id: string, graph: Graph): string | null => {
    if (isLeft(id)) return null
    if (react.test(id)) return 'react'
    if (isForLanding.test(id)) return 'shared'
    if (id !== plans && isForApp.test(id)) return 'app'
    needed ??= {
      landing: reach(parts.landing, graph),
      app: reach(parts.app, graph),
      signedIn: reach(parts['signed-in'], graph),
    }
    if (needed.landing.has(id)) return isLandingItself.test(id) ? 'landing' : 'shared'
    if (needed.app.has(id)) return 'app'
    return needed.signedIn.has(id) ? 'signed-in' : null
  }
}

function reach(entries: readonly string[], graph: Graph): Set<string> {
  const found = new Set<string>()
  const visit = (id: string) => {
    if (found.has(id) || index.test(id)) return
    found.add(id)
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) visit(imported)
  }
  entries.forEach(visit)
  return found
}

/** The rest, by who uses it; files that would be smaller than this are put together. */
const bySharing = (name: string, test: RegExp, entriesAwareMergeThreshold: number) => {
  return { name, test, minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold }
}

export const codeSplitting = {
  includeDependenciesRecursively: false,
  groups: [
    { name: nameChunk(), debugName: 'parts' },
    { name: 'ui', test: /\/src\/(?:ui\/|texts\/ui)/, minShareCount: 2 },
    bySharing('icons', /lucide-react/, 4_000),
    bySharing('radix', /@radix-ui/, 20_000),
    bySharing('features', /\/src\/(?:features|texts|wallet)\//, 8_000),
    bySharing('tree', /\/packages\/proof\/|@noble\/hashes/, 20_000),
  ],
}
