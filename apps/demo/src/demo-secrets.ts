import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Address, addressOfKey, type Hex, hexToBytes } from '@tocsin/proof'
import { DAY_MS } from '@tocsin/protocol/durations'
import { z } from 'zod'

const keySchema = z.custom<Hex>((value) => typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value))

const secretsSchema = z.object({
  signerKey: keySchema,
  /** The next signing key, which `signer rotate` creates. */
  signerKeyNext: keySchema.nullable().default(null),
  anchorKey: keySchema,
  treasuryKey: keySchema,
  appSecret: z.string(),
  feedApiKey: z.string(),
  adminPassword: z.string(),
  userPassword: z.string(),
  /** Time at which the demo's chain and history begin. It is before the first start of the demo. */
  genesisAt: z.iso.datetime().transform((text) => new Date(text)),
})
export type DemoSecrets = z.output<typeof secretsSchema>

export const HISTORY_DAYS = 30

/** Reads the demo's secrets. The first start generates them. */
export function loadDemoSecrets(dataDir: string, now: Date): DemoSecrets {
  const file = join(dataDir, 'secrets.json')
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    saveSecrets(file, generateSecrets(now))
  }
  return secretsSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
}

/**
 * Returns the key that the demo's log rotates to next, and generates it if necessary. If the log
 * already signs with the stored `signerKeyNext`, that key first becomes `signerKey`.
 * @param currentSigner signer address according to the log
 */
export function prepareNextSignerKey(dataDir: string, currentSigner: Address, now: Date): Hex {
  const { genesisAt, ...secrets } = loadDemoSecrets(dataDir, now)
  const isInUse = secrets.signerKeyNext !== null && deriveAddress(secrets.signerKeyNext) === currentSigner
  if (secrets.signerKeyNext !== null && !isInUse) return secrets.signerKeyNext
  const signerKeyNext = generateKey()
  const signerKey = (isInUse && secrets.signerKeyNext) || secrets.signerKey
  saveSecrets(join(dataDir, 'secrets.json'), {
    ...secrets,
    signerKey,
    signerKeyNext,
    genesisAt: genesisAt.toISOString(),
  })
  return signerKeyNext
}

function saveSecrets(file: string, secrets: z.input<typeof secretsSchema>): void {
  writeFileSync(`${file}.new`, JSON.stringify(secrets, null, 2), { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
}

function generateSecrets(now: Date): z.input<typeof secretsSchema> {
  return {
    signerKey: generateKey(),
    anchorKey: generateKey(),
    treasuryKey: generateKey(),
    appSecret: randomBytes(32).toString('hex'),
    feedApiKey: randomBytes(24).toString('base64url'),
    adminPassword: randomBytes(12).toString('base64url'),
    userPassword: randomBytes(12).toString('base64url'),
    genesisAt: new Date(now.getTime() - HISTORY_DAYS * DAY_MS).toISOString(),
  }
}

function generateKey(): Hex {
  return `0x${randomBytes(32).toString('hex')}`
}

export function deriveAddress(privateKey: Hex): Address {
  return addressOfKey(hexToBytes(privateKey))
}
