import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { packFolder } from './release/pack.ts'
import { listLicences, type Sbom } from './release/sbom.ts'
import { checkRelease, getVerifierKey, SUMS_FILE_NAME, signSums } from './release/sums.ts'
import { run } from './run.ts'

/**
 * Builds a release of the commit that is checked out: the sources with the built product, a
 * CycloneDX list of the packages that production runs, their licences, and a signed list of
 * checksums. Two runs on the same commit give the same bytes. The image is built if Docker is
 * installed.
 */
const USAGE = `Usage: npm run release -- [--out FOLDER] [--sign KEY_FILE]
       npm run release -- --new-key KEY_FILE
       npm run release -- --check FOLDER --key VERIFIER_KEY`

const BUILD_FOLDERS = ['apps/server/dist', 'apps/engine/dist', 'apps/web/dist', 'apps/verify/dist']

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'release' },
    sign: { type: 'string' },
    'new-key': { type: 'string' },
    check: { type: 'string' },
    key: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

try {
  if (values.help) console.log(USAGE)
  else if (values['new-key'] !== undefined) await makeKey(values['new-key'])
  else if (values.check !== undefined) printCheck(values.check, values.key)
  else await buildRelease(resolve(values.out), values.sign)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function makeKey(file: string): Promise<void> {
  const seed = randomBytes(32)
  await writeFile(file, `${seed.toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
  console.log(`Publish this verifier key, and keep ${file} offline:\n${getVerifierKey(seed)}`)
}

function printCheck(folder: string, key: string | undefined): void {
  if (key === undefined) throw new Error(`--check needs --key, which must not come with the release\n${USAGE}`)
  console.log(`Signed and unchanged: ${checkRelease(folder, key).join(', ')}`)
}

async function buildRelease(outFolder: string, keyFile: string | undefined): Promise<void> {
  const seed = keyFile === undefined ? null : await readSeed(keyFile)
  if (existsSync(outFolder))
    throw new Error(`${outFolder} already exists. Remove it, or name another folder with --out.`)
  if ((await runGit('status', '--porcelain')) !== '') throw new Error('There are changes that are not committed.')
  const { version }: { version: string } = JSON.parse(await readFile('package.json', 'utf8'))
  const tags = (await runGit('tag', '--points-at', 'HEAD')).split('\n').filter(Boolean)
  if (tags.length > 0 && !tags.includes(`v${version}`))
    throw new Error(`The commit is tagged ${tags.join(', ')}, but package.json says ${version}.`)
  const committedAt = new Date(Number(await runGit('show', '--no-patch', '--format=%ct', 'HEAD')) * 1_000)

  const workFolder = await mkdtemp(join(tmpdir(), 'tocsin-release-'))
  try {
    const sources = join(workFolder, 'sources')
    await runOrThrow('git', ['clone', '--quiet', '--no-hardlinks', '.', sources])
    const runInSources = (...args: string[]) => runOrThrow('npm', ['--prefix', sources, ...args])
    await runInSources('ci', '--no-audit', '--no-fund')
    await runInSources('run', 'build')
    const sbom = await readSbom(sources, committedAt)

    const stagedFolder = join(workFolder, 'staged')
    const name = `tocsin-${version}`
    await runOrThrow('git', ['clone', '--quiet', '--no-hardlinks', '.', join(stagedFolder, name)])
    await rm(join(stagedFolder, name, '.git'), { recursive: true })
    for (const folder of BUILD_FOLDERS)
      await cp(join(sources, folder), join(stagedFolder, name, folder), { recursive: true })

    const releaseFolder = join(workFolder, 'release')
    await mkdir(releaseFolder)
    await packFolder(stagedFolder, join(workFolder, 'packed'), committedAt)
    await cp(join(workFolder, 'packed'), join(releaseFolder, `${name}.tar.gz`))
    await writeFile(join(releaseFolder, `${name}.cdx.json`), sbom)
    await writeFile(join(releaseFolder, `${name}.licences.txt`), listLicences(JSON.parse(sbom) as Sbom))
    await buildImage(sources, `${name}.oci.tar`, releaseFolder, committedAt)
    if (seed) await writeFile(join(releaseFolder, SUMS_FILE_NAME), signSums(releaseFolder, seed))
    await cp(releaseFolder, outFolder, { recursive: true })
    console.log(`${name} is in ${outFolder}${seed ? '' : ', not signed (--sign)'}`)
  } finally {
    await rm(workFolder, { recursive: true, force: true })
  }
}

async function readSbom(sources: string, time: Date): Promise<string> {
  const env = { SOURCE_DATE_EPOCH: String(time.getTime() / 1_000) }
  const args = ['--prefix', sources, 'run', '--silent', 'sbom']
  const { code, output, stdout } = await run('npm', args, { quiet: true, env })
  if (code !== 0) throw new Error(`npm run sbom failed: ${output}`)
  return stdout
}

/** Builds the image with `time`, the time of the commit, as the timestamp of its layers. */
async function buildImage(sources: string, name: string, out: string, time: Date): Promise<void> {
  const hasDocker = await run('docker', ['buildx', 'version'], { quiet: true }).then(
    ({ code }) => code === 0,
    () => false,
  )
  if (!hasDocker) {
    console.log('Docker with buildx is not installed, so there is no image in this release.')
    return
  }
  const epochArg = `SOURCE_DATE_EPOCH=${time.getTime() / 1_000}`
  const output = `type=oci,dest=${join(out, name)},rewrite-timestamp=true`
  await runOrThrow('docker', ['buildx', 'build', '--build-arg', epochArg, '--output', output, sources])
}

async function readSeed(file: string): Promise<Buffer> {
  const text = (await readFile(file, 'utf8')).trim()
  if (!/^[0-9a-f]{64}$/.test(text)) throw new Error(`${file} does not contain a key that --new-key has created`)
  return Buffer.from(text, 'hex')
}

async function runGit(...args: string[]): Promise<string> {
  const { code, output, stdout } = await run('git', args, { quiet: true })
  if (code !== 0) throw new Error(`git ${args[0]} failed: ${output}`)
  return stdout.trim()
}

async function runOrThrow(command: string, args: string[]): Promise<void> {
  const { code } = await run(command, args)
  if (code !== 0) throw new Error(`${command} ${args.slice(0, 4).join(' ')} failed`)
}
