import type { Plugin } from 'esbuild'

/**
 * esbuild plugin that bundles the workspace packages, which are TypeScript, and leaves npm packages
 * external.
 */
export const onlyOwnPackages: Plugin = {
  name: 'only-own-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path }) => (path.startsWith('@tocsin/') ? undefined : { path, external: true }))
  },
}
