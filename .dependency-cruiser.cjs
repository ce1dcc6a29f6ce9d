/**
 * Allowed imports: apps -> protocol -> proof, and within an app from a folder to those below it.
 */
const TESTS = '\\.test\\.tsx?$'

const only = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: from, pathNot: TESTS },
  to: { path: '^(apps|packages|contracts|e2e|scripts|fault-tests|bench)/', pathNot: allowed },
})

/** Folders of the server, top first. A folder may import only from folders below it. */
const SERVER_STACK = [
  'cli',
  'features/business',
  'features/system',
  'features/accounts',
  'features/syndication',
  'features/outreach',
  'features/channels',
  'features/live',
  'features/receipts',
  'features/feed',
  'features/market',
  'features/record',
  'features/sharing',
  'features/schedule',
  'features/alerts',
  'features/tlog',
  'features/access',
  'features/payments',
  'features/coupons',
  'features/subscriptions',
  'features/wallets',
  'features/views',
  'features/api-keys',
  'features/factors',
  'features/preferences',
  'features/sessions',
  'features/security',
  'features/audit',
  'features/support',
  'features/settings',
  'mail',
  'http',
  'chain',
  'db',
]

/** Folders of the web app, top first. A folder may import only from folders below it. */
const WEB_STACK = [
  'entry',
  'service-worker',
  'features/dashboard',
  'features/assets',
  'features/demo',
  'features/transparency',
  'features/record',
  'features/landing',
  'features/shared-alert',
  'features/admin',
  'features/channels',
  'features/settings',
  'features/offline',
  'features/live',
  'features/alerts',
  'features/site',
  'features/account',
  'features/subscription',
  'features/proof',
  'features/market',
  'features/alert',
  'features/prediction',
  'shell',
  'wallet',
  'stream',
  'session',
  'ui',
  'api',
  'browser',
]

const importsOnlyBelow = (root, stack) =>
  stack.slice(1).map((folder, index) => ({
    name: `${folder}-imports-only-below`,
    severity: 'error',
    from: { path: `^${root}/${folder}/`, pathNot: TESTS },
    to: { path: `^${root}/(${stack.slice(0, index + 1).join('|')})/` },
  }))

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    only('proof-imports-nothing', '^packages/proof/src', '^packages/proof/src'),
    only('engine-imports-nothing', '^packages/engine/src', '^packages/engine/src'),
    only('protocol-imports-proof', '^packages/protocol/src', '^packages/(protocol|proof)/src'),
    only('client-imports-protocol', '^packages/client/src', '^packages/(client|protocol|proof)/src'),
    only('contracts-import-nothing', '^contracts/', '^contracts/'),
    only(
      'server-imports-packages',
      '^apps/server/src',
      '^(apps/server/src|packages/(protocol|proof)/src|contracts/(abi|bytecode)\\.ts)',
    ),
    only('engine-imports-packages', '^apps/engine/src', '^(apps/engine/src|packages/(engine|protocol|proof)/src)'),
    only(
      'demo-imports-server',
      '^apps/demo/src',
      '^(apps/(demo|server)/src|packages/(protocol|proof)/src|contracts/(abi|bytecode)\\.ts)',
    ),
    only('verify-imports-proof', '^apps/verify/src', '^(apps/verify/src|packages/proof/src)'),
    only(
      'web-imports-packages',
      '^apps/web/src',
      '^(apps/web/src|packages/(client|protocol|proof)/src|contracts/abi\\.ts)',
    ),
    ...importsOnlyBelow('apps/server/src', SERVER_STACK),
    {
      name: 'server-folders-are-in-the-stack',
      comment: 'files of src itself are the composition, and the parts that every folder shares',
      severity: 'error',
      from: { path: '^apps/server/src/[^/]+/', pathNot: `^apps/server/src/(${SERVER_STACK.join('|')})/` },
      to: {},
    },
    {
      name: 'server-shared-parts-import-no-feature',
      comment: 'every folder imports these parts, so a feature that they import would be above all others',
      severity: 'error',
      from: { path: '^apps/server/src/[^/]+\\.ts$', pathNot: '/(background-jobs|routes|run-server|server)\\.ts$' },
      to: { path: '^apps/server/src/features/' },
    },
    {
      name: 'no-app-imports-demo',
      comment: 'only scripts, benchmarks and the test kit use the demo: production installs without it',
      severity: 'error',
      from: { path: '^apps/', pathNot: '^apps/demo/' },
      to: { path: '^apps/demo/' },
    },
    ...importsOnlyBelow('apps/web/src', WEB_STACK),
    {
      name: 'web-folders-are-in-the-stack',
      severity: 'error',
      from: {
        path: '^apps/web/src/',
        pathNot: `^apps/web/src/(${WEB_STACK.join('|')}|fonts)/|^apps/web/src/paths\\.ts$`,
      },
      to: {},
    },
    {
      name: 'wallet-code-stays-in-wallet',
      comment: 'wagmi and viem are heavy: pages that need no wallet never load them',
      severity: 'error',
      from: { path: '^apps/web/src', pathNot: '^apps/web/src/wallet/' },
      to: { path: '(^|/)node_modules/(wagmi|@wagmi|viem)/', dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|data|\\.cache)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs'],
    },
  },
}
