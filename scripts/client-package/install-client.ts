import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { buildClientPackage } from './build-client.ts'

const runProgram = promisify(execFile)

/**
 * Packs the client and other packages with `npm pack`, and installs the archives in an empty
 * project without a network.
 */
export async function installClient(folder: string, otherPackages: readonly string[] = []): Promise<void> {
  const packageFolder = join(folder, 'built')
  await buildClientPackage(packageFolder)
  const packPackage = async (path: string) => {
    const { stdout } = await runProgram('npm', ['pack', path, '--silent', '--pack-destination', folder])
    return `./${stdout.trim().split('\n').at(-1)}`
  }
  const archives: string[] = []
  for (const path of [packageFolder, ...otherPackages]) archives.push(await packPackage(path))
  await writeFile(join(folder, 'package.json'), '{"type":"module","private":true}')
  const flags = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund']
  await runProgram('npm', ['install', ...flags, ...archives], { cwd: folder })
}

/** Bundles the installed client for a page, where it becomes the global `tocsin`. */
export async function bundleForBrowser(folder: string) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: "export { byApiKey, openAlertStream } from '@tocsin/client'", resolveDir: folder },
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'tocsin',
    write: false,
    metafile: true,
  })
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports)
  return { code: outputFiles[0]?.text ?? '', imports }
}
