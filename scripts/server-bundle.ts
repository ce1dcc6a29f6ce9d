import type { BuildOptions } from 'esbuild'

/** Packages that are not bundled, because they load files of their own at run time. */
const UNBUNDLED_PACKAGES = ['@node-rs/argon2', '@resvg/resvg-js', 'tiny-secp256k1']
/** Defines `require`, which bundled CommonJS packages call for modules of Node.js. */
const DEFINE_REQUIRE = `import { createRequire as requireFrom } from 'node:module'
const require = requireFrom(import.meta.url)`

/**
 * Options for bundles of Node.js programs with their npm packages. Loading the packages from
 * thousands of files takes most of the time that a program needs to start.
 */
export const serverBundleOptions = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // node-fetch, a dependency of grammy, recognises an AbortSignal by the name of its class, which
  // esbuild would change if another class has the same name.
  keepNames: true,
  logLevel: 'warning',
  external: UNBUNDLED_PACKAGES,
  banner: { js: DEFINE_REQUIRE },
} satisfies BuildOptions
