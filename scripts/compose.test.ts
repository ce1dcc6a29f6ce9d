import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { settingsTable as engineSettings } from '../apps/engine/src/settings-table.ts'

// Tests of rules that `docker compose config` does not check: compose.yaml must match the image,
// the settings and the guide.

interface Service {
  image: string
  build?: string
  command?: string[]
  environment?: Record<string, string>
  depends_on?: Record<string, { condition: string }>
  healthcheck?: { test: string[] }
  networks: string[]
  volumes?: string[]
}

const readText = (path: string) => readFileSync(path, 'utf8')
const text = readText('compose.yaml')
const { services, networks, volumes }: Record<'networks' | 'volumes', object> & { services: Record<string, Service> } =
  parse(text)
const image = readText('Dockerfile')
const operatingGuide = readText('docs/operating.md')
const settings = Array.from(readText('.env.example').matchAll(/^# ([A-Z][A-Z0-9_]*)=/gm), ([, name]) => name)
/** The services that run the image of the Dockerfile. */
const productServices = Object.entries(services).filter(([, { image }]) => image === 'tocsin')
const mounts = Object.entries(services).flatMap(([service, { volumes = [] }]) =>
  volumes.map((line) => {
    const [source = '', target = ''] = line.split(':')
    return { service, source, target }
  }),
)
const toUniqueSorted = (values: Iterable<string | undefined>) => [...new Set(values)].sort()

test('compose.yaml: each environment variable of the product is in .env.example', () => {
  const names = productServices.flatMap(([, { environment = {} }]) => Object.keys(environment))
  expect(names).not.toEqual([])
  expect(names.filter((name) => !settings.includes(name))).toEqual([])
})

test('compose.yaml: the engine receives each of its settings, except those for demos and recordings', () => {
  const names = Object.keys(engineSettings).filter((name) => !['ENGINE_REPLAY', 'ENGINE_SIMULATE'].includes(name))
  expect(toUniqueSorted(Object.keys(services.engine?.environment ?? {}))).toEqual(names.sort())
})

test('compose.yaml: each variable that it reads is in .env.example, or the guide says how to set it', () => {
  const usedVariables = toUniqueSorted(Array.from(text.matchAll(/\$\{([A-Z_]+)/g), ([, name]) => name))
  const guideVariables = Array.from(operatingGuide.matchAll(/^echo "([A-Z_]+)=.*" >> \.env$/gm), ([, name]) => name)
  expect(usedVariables).toEqual(expect.arrayContaining(toUniqueSorted(guideVariables)))
  expect(usedVariables.filter((name) => ![...settings, ...guideVariables].includes(name))).toEqual([])
})

test('compose.yaml: each volume and network is declared and used', () => {
  const namedVolumes = mounts.filter(({ source }) => !source.startsWith('.'))
  expect(toUniqueSorted(namedVolumes.map(({ source }) => source))).toEqual(Object.keys(volumes).sort())
  expect(toUniqueSorted(Object.values(services).flatMap(({ networks }) => networks))).toEqual(
    Object.keys(networks).sort(),
  )
})

test('compose.yaml: each path that it mounts from the host is in the repository or created by the guide', () => {
  const createdFolders = /^sudo install -d -o 1000 .* 700 (.*)$/m.exec(operatingGuide)?.[1]?.split(' ')
  const folders = mounts.filter(({ source }) => source.startsWith('./')).map(({ source }) => source.slice(2))
  expect(toUniqueSorted(folders)).toEqual(toUniqueSorted([...(createdFolders ?? []), 'Caddyfile']))
})

test('Dockerfile: creates a folder that its user owns for each volume of the product', () => {
  const ownedFolders = /install -d -o node -g node -m 700 (.*)$/m.exec(image)?.[1]?.split(' ')
  const targets = mounts.filter(
    ({ service, source }) => productServices.some(([name]) => name === service) && !source.startsWith('.'),
  )
  expect(toUniqueSorted(targets.map(({ target }) => target))).toEqual(toUniqueSorted(ownedFolders ?? []))
})

test('Dockerfile: runs a version of Node.js that CI tests and that the guide names', () => {
  const nodeMajor = /^FROM node:(\d+)\.\d+\.\d+-/m.exec(image)?.[1]
  expect(parse(readText('.github/workflows/ci.yml')).jobs.test.strategy.matrix['node-version']).toContain(
    Number(nodeMajor),
  )
  expect(operatingGuide).toContain(`Node.js ${nodeMajor} (LTS`)
})

test('compose.yaml: commands of the product exist in the image, and paths in its settings are mounted', () => {
  for (const [name, { command, environment = {} }] of productServices) {
    const script = command?.at(-1) ?? JSON.parse(/^CMD (.*)$/m.exec(image)?.[1] ?? '[]').at(-1)
    expect(image).toContain(`COPY --from=build /opt/tocsin/${script.replace(/\/main\.js$/, ' ')}`)
    for (const value of Object.values(environment).filter((each) => each.startsWith('/'))) {
      expect(mounts).toContainEqual({ service: name, source: expect.any(String), target: value })
    }
  }
})

test('compose.yaml: health checks use programs of their images', () => {
  const programs: Record<string, string> = { tocsin: 'node', postgres: 'pg_isready' }
  expect(image).toMatch(/^FROM node:/m)
  for (const { image: name, healthcheck } of Object.values(services)) {
    if (healthcheck) expect(healthcheck.test.slice(0, 2)).toEqual(['CMD', programs[name.split(':')[0] ?? '']])
  }
  expect(image).toMatch(/^HEALTHCHECK [^\n]*\n {2}CMD \["node",/m)
})

test('compose.yaml: services can reach services that they name, and wait only for those with a health check', () => {
  const shareNetwork = (firstService: string, secondService: string) =>
    services[firstService]?.networks.some((network) => services[secondService]?.networks.includes(network))
  const [, upstream = '', port] = /reverse_proxy (\w+):(\d+)/.exec(readText('Caddyfile')) ?? []
  const database = new URL(services.tocsin?.environment?.DATABASE_URL?.replace(/\$\{.*?\}/, 'x') ?? '').hostname
  expect([upstream, port]).toEqual(['tocsin', services.tocsin?.environment?.PORT])
  expect([shareNetwork('proxy', upstream), shareNetwork('tocsin', database), shareNetwork('tocsin', 'engine')]).toEqual(
    [true, true, true],
  )
  for (const { depends_on = {} } of Object.values(services)) {
    for (const [name, { condition }] of Object.entries(depends_on)) {
      expect(condition).toBe('service_healthy')
      expect(services[name]?.healthcheck).toBeDefined()
    }
  }
})
