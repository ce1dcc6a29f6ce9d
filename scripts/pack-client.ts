import { join } from 'node:path'
import { root } from './build-stamp.mjs'
import { buildClientPackage } from './client-package/build-client.ts'
import { run } from './run.ts'

/** Writes the npm archive of `@tocsin/client` to .cache: `npm run pack:client`. */
const folder = join(root, '.cache/client-package')
await buildClientPackage(folder)
const { code } = await run('npm', ['pack', folder, '--pack-destination', join(root, '.cache')])
process.exitCode = code
