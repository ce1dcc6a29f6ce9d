import { fileURLToPath } from 'node:url'

/** The part of the bundler's module graph that this file uses. */
interface Graph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null
}

const source = fileURLToPath(new URL('src/', import.meta.url))
const plans = fileURLToPath(new URL('../../packages/protocol/src/plans.ts', import.meta.url))
/** Entry modules of the parts of the site. */
const parts = {
  landing: [`${source}features/landing/landing.tsx`, plans],
  app: [`${source}entry/main.ts`, `${source}entry/app.tsx`],
  'signed-in': [`${source}features/dashboard/signed-in-layout.tsx`],
  desk: [`${source}features/dashboard/dashboard-page.tsx`],
  record: [`${source}features/record/track-record-page.tsx`],
  texts: [`${source}features/site/documentation-page.tsx`],
  command: [`${source}features/site/pinned-command.tsx`],
  public: ['proof/verification-page', 'shared-alert/alert-page', 'transparency/transparency-page'].map(
    (page) => `${source}features/${page}.tsx`,
  ),
}
const react = /\/node_modules\/(?:react|react-dom|scheduler)\//
const isLandingItself = /\/src\/features\/landing\//
const isForLanding = /\/node_modules\/(?:@radix-ui\/react-(?:slot|compose-refs)|lucide-react\/dist\/esm\/(?!icons\/))/
const isForApp =
  /\/node_modules\/(?:@tanstack|use-sync-external-store)\/|\/packages\/protocol\/src\/(?:alert-matching|chains|default-preferences|market-key|names|plain-text|time-range)\.ts$/
/**
 * Modules that build the sentences about predictions. They have their own chunk (`claims`), because
 * the dashboard loads them only when the first alert is opened.
 */
const isForClaims = /\/src\/features\/prediction\/(?:prediction-texts|amount-texts|outcome-sentences)\.ts$/
/** Schemas, which no page needs for its first paint. */
const isForSchemas =
  /\/node_modules\/zod\/|\/packages\/protocol\/src\/(?:alerts|feed|log|prediction|primitives|stream)\.ts$/
const isRecordItself = /\/src\/features\/record\//
/**
 * Modules of the proof package that rows of alerts need. They are listed by name, because they are
 * imported through a barrel, at which `collectReachable` stops.
 */
const isForRows = /\/packages\/proof\/src\/record\/(?:alert-status|percent)\.ts$/
/**
 * Icons of the layout of signed-in pages. They are listed by name, because all icons are imported
 * through a barrel, so the module graph does not show which modules use an icon.
 */
const isIconOfLayout =
  /\/lucide-react\/dist\/esm\/icons\/(?:bell|history|house|layout-dashboard|log-out|refresh-cw|settings|shield-check|triangle-alert|unplug)\.m?js$/
/**
 * Index modules that re-export a whole package. Which of their exports are used is unknown before
 * tree shaking, so `collectReachable` does not follow them.
 */
const barrel = /\/node_modules\/(?:radix-ui|lucide-react|zod|@tanstack)\/|\/packages\/\w+\/src\/index\.ts$/
/**
 * Modules that the bundler assigns itself: styles, virtual modules and the entry scripts. Entry
 * scripts keep their names and load other chunks on demand.
 */
const unassigned = [...parts.app, ...parts['signed-in'], `${source}browser/yield-to-browser.ts`]
const isUnassigned = (id: string) => unassigned.includes(id) || id.startsWith('\0') || id.endsWith('.css')

/**
 * Assigns modules to a few large chunks. By default the bundler creates a chunk for each set of
 * importers, but every file costs a request, and over HTTP/1.1 a browser makes six at a time.
 *
 * - `react`, `schemas`, `claims`: the modules that the expressions above match
 * - `landing`: the modules of the landing page
 * - `shared`: what the landing page and other pages need
 * - `app`: what every page of the app needs
 * - `command`: the verify command, which the documentation shows without the app
 * - `texts`: what the text pages of the app need
 * - `record`: the views of the track record
 * - `words`: what public pages share with the dashboard
 * - `signed-in`: what only signed-in pages need
 * - `desk`: what only the dashboard needs. A public page must load neither `signed-in` nor `desk`.
 */
function nameChunk() {
  type Part = 'app' | 'landing' | 'signedIn' | 'desk' | 'record' | 'texts' | 'command' | 'public'
  let reached: Record<Part, Set<string>> | undefined
  return (id: string, graph: Graph): string | null => {
    if (isUnassigned(id)) return null
    if (react.test(id)) return 'react'
    if (isForLanding.test(id)) return 'shared'
    if (isIconOfLayout.test(id)) return 'words'
    if (isForRows.test(id)) return 'words'
    if (isForApp.test(id)) return 'app'
    if (isForSchemas.test(id)) return 'schemas'
    if (isForClaims.test(id)) return 'claims'
    reached ??= {
      landing: collectReachable(parts.landing, graph),
      app: collectReachable(parts.app, graph),
      signedIn: collectReachable(parts['signed-in'], graph),
      desk: collectReachable(parts.desk, graph),
      record: collectReachable(parts.record, graph),
      texts: collectReachable(parts.texts, graph),
      command: collectReachable(parts.command, graph),
      public: collectReachable(parts.public, graph),
    }
    if (reached.landing.has(id)) return isLandingItself.test(id) ? 'landing' : 'shared'
    if (reached.app.has(id)) return 'app'
    if (reached.command.has(id)) return 'command'
    if (reached.texts.has(id)) return parts.texts.includes(id) ? null : 'texts'
    if (reached.record.has(id)) return isRecordItself.test(id) ? 'record' : 'words'
    if (!reached.signedIn.has(id) && !reached.desk.has(id)) return null
    if (reached.public.has(id)) return 'words'
    return reached.signedIn.has(id) ? 'signed-in' : 'desk'
  }
}

function collectReachable(entries: readonly string[], graph: Graph): Set<string> {
  const foundModules = new Set<string>()
  const visit = (id: string) => {
    if (foundModules.has(id) || barrel.test(id)) return
    foundModules.add(id)
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) visit(imported)
  }
  entries.forEach(visit)
  return foundModules
}

/** Groups the remaining modules by importers. Merges chunks smaller than the threshold (bytes). */
const bySharing = (name: string, test: RegExp, entriesAwareMergeThreshold: number) => {
  return { name, test, minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold }
}

export const codeSplitting = {
  includeDependenciesRecursively: false,
  groups: [
    { name: nameChunk(), debugName: 'parts' },
    // Views that several pages for staff use. They have their own chunk, because the service worker
    // must not store them for offline use (scripts/write-service-worker.ts).
    { name: 'reach-view', test: /\/src\/features\/admin\/(?:reach-view|definitions|business-definitions)\.tsx?$/ },
    // These components need most of Radix. They are not in the chunk `ui`, because public pages
    // load that chunk but do not use these components.
    bySharing(
      'controls',
      /\/src\/ui\/(?:form-dialog|dialog|menu|multi-select|segmented|system-toasts|tabs)\.tsx$/,
      500,
    ),
    // The QR code is excluded: it needs a library that only dialogs use.
    { name: 'ui', test: /\/src\/ui\/(?!qr-code)/, minShareCount: 2 },
    bySharing('icons', /lucide-react/, 1_200),
    bySharing('radix', /@radix-ui/, 20_000),
    bySharing('features', /\/src\/(?:features|wallet)\//, 1_000),
    bySharing('tree', /\/packages\/proof\/|@noble\/hashes/, 40_000),
  ],
}
