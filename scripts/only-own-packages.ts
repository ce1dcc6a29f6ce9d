import type { Plugin } from 'esbuild'

/**
 * Our own packages are TypeScript and go into the bundle; npm's are loaded from node_modules as
 * they are.
 */
export const onlyOwnPackages: Plugin = {
  name: 'only-own-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path }) => (path.startsWith('@tocsin/') ? undefined : { path, external: true }))
  },
}
