import type pg from 'pg'
import type { Config } from '../config.ts'
import { formatSecretsAad } from '../features/channels/secrets.ts'
import { totpAad } from '../features/factors/verify-code.ts'
import { FEED_SETTING } from '../features/feed/feed-settings.ts'
import { openSecret } from '../sealed-secret.ts'
import { type DoctorFinding, ok, warning } from './doctor-checks.ts'

const PUSH_SETTING = 'web_push_key'

interface SecretKind {
  name: string
  /** Selects `id` and `sealed` of all stored secrets. */
  query: string
  /** Returns the additional data of a secret, see `sealSecret`. */
  aad(id: string): string
  remedy: string
}

const listKinds = ({ push }: Config, program: string): SecretKind[] => [
  {
    name: 'API keys of the signal feed',
    query: `select '' as id, value->>'apiKey' as sealed from settings
      where name = '${FEED_SETTING}' and value->>'apiKey' is not null`,
    aad: () => FEED_SETTING,
    remedy: 'Enter the key again in the admin area.',
  },
  ...(push.privateKey === null
    ? [
        {
          name: 'keys for web push',
          query: `select '' as id, value->>'sealed' as sealed from settings where name = '${PUSH_SETTING}'`,
          aad: () => PUSH_SETTING,
          remedy: `Set PUSH_PRIVATE_KEY, or run DELETE FROM settings WHERE name = '${PUSH_SETTING}'; to get a new key.`,
        },
      ]
    : []),
  {
    name: 'destinations',
    query: 'select id::text, sealed from destinations',
    aad: formatSecretsAad,
    remedy: 'Their owners have to add them again.',
  },
  {
    name: 'authenticator apps',
    query: 'select account_id::text as id, sealed_secret as sealed from totp_factors',
    aad: totpAad,
    remedy: `Their owners can sign in with a recovery code or a passkey. Otherwise run ${program} admin reset-factors.`,
  },
]

/** Reports the stored secrets that neither APP_SECRET nor APP_SECRET_PREVIOUS decrypts. */
export async function checkSecrets(client: pg.Client, config: Config, program: string): Promise<DoctorFinding[]> {
  // The tables do not exist before the first migration.
  const { rows: tables } = await client.query(`select where to_regclass('public.totp_factors') is not null`)
  const findings: DoctorFinding[] = []
  for (const { name, query, aad, remedy } of tables.length > 0 ? listKinds(config, program) : []) {
    const { rows } = await client.query<{ id: string; sealed: string }>(query)
    const unreadableSecrets = rows.filter(({ id, sealed }) => !canOpen(config, aad(id), sealed))
    if (unreadableSecrets.length === 0) continue
    const text = `${unreadableSecrets.length} of ${rows.length} ${name} cannot be decrypted with APP_SECRET`
    findings.push(warning(text, `Set the former APP_SECRET as APP_SECRET_PREVIOUS. If it is lost: ${remedy}`))
  }
  return findings.length > 0 ? findings : [ok('all can be decrypted')]
}

function canOpen(config: Config, aad: string, sealedText: string): boolean {
  try {
    openSecret(config, aad, sealedText)
    return true
  } catch {
    return false
  }
}
