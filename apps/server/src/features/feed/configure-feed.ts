import type { FeedConfig } from '@tocsin/protocol'
import { type AuditActor, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import { lockSetting, saveSetting } from '../../db/setting.ts'
import { type Actor, assertRecentAuthentication } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { sealSecret, UnreadableSecretError } from '../../sealed-secret.ts'
import { parseEndpoint } from './endpoint.ts'
import { findReport } from './feed-report.ts'
import { FEED_SETTING, type FeedForm, readFeedForm, type StoredSettings, UNREADABLE_KEY } from './feed-settings.ts'
import { deleteEngineStatus } from './store.ts'

/**
 * The form that an admin submits. If `apiKey` is undefined or empty, the stored key is kept. Null
 * removes the key.
 */
export interface EnteredForm extends Omit<StoredSettings, 'apiKey'> {
  apiKey?: string | null | undefined
}

/** Number of last characters of a key that are shown. */
const HINT_LENGTH = 4
/** Minimum length of a key whose last characters are shown, so that the rest stays secret. */
const MIN_HINTED_LENGTH = 12

export async function describeFeed(ctx: Context): Promise<FeedConfig> {
  const [form, { state, reason }] = await Promise.all([readShownForm(ctx), findReport(ctx)])
  const { externalEndpoint, apiKeyHint, reconnectInterval, maxRetries, isEnabled, isSaved } = form
  return {
    externalEndpoint,
    apiKeyHint,
    reconnectInterval,
    maxRetries,
    isEnabled,
    isSaved,
    state,
    lastError: form.problem ?? reason,
  }
}

async function readShownForm(ctx: Context) {
  const { apiKey, problem, ...form } = await readForm(ctx)
  return { ...form, problem, apiKeyHint: apiKey === null ? null : formatKeyHint(apiKey) }
}

function formatKeyHint(apiKey: string): string {
  return apiKey.length >= MIN_HINTED_LENGTH ? `…${apiKey.slice(-HINT_LENGTH)}` : '…'
}

/** Reads the form. If its key can no longer be decrypted, the result contains the problem. */
async function readForm(ctx: Context): Promise<FeedForm & { problem: string | null }> {
  try {
    return { ...(await readFeedForm(ctx)), problem: null }
  } catch (error) {
    if (!(error instanceof UnreadableSecretError)) throw error
    return { ...(await readFeedForm(ctx, { withoutKey: true })), problem: UNREADABLE_KEY }
  }
}

/**
 * Returns the decrypted key of the submitted form: the entered or the stored key, or null. Requires
 * recent authentication if a key is entered, or if the stored key would be sent to another origin.
 * Key and endpoint come from one read of the settings, because another admin may save both at the
 * same time.
 * @throws Refusal reauthentication_required
 */
export async function chooseKey(
  ctx: Context,
  actor: Actor,
  enteredForm: Pick<EnteredForm, 'externalEndpoint' | 'apiKey'>,
): Promise<string | null> {
  if (enteredForm.apiKey === null) return null
  const { apiKey, externalEndpoint } = await readForm(ctx)
  const isSentElsewhere = apiKey !== null && !isSameOrigin(enteredForm.externalEndpoint, externalEndpoint)
  if (enteredForm.apiKey || isSentElsewhere) assertRecentAuthentication(actor, ctx.clock.now())
  return enteredForm.apiKey || apiKey
}

/** Returns true if scheme, host and port are the same. */
function isSameOrigin(a: string, b: string): boolean {
  if (!URL.canParse(a) || !URL.canParse(b)) return a === b
  const [one, other] = [new URL(a), new URL(b)]
  return one.protocol === other.protocol && one.host === other.host
}

/** @throws Refusal endpoint_refused, reauthentication_required */
export async function saveFeed(ctx: Context, actor: Actor, by: AuditActor, enteredForm: EnteredForm): Promise<void> {
  const { externalEndpoint, reconnectInterval, maxRetries, isEnabled } = enteredForm
  if (externalEndpoint !== '' || isEnabled) assertEndpoint(ctx, externalEndpoint)
  const now = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    await lockSetting(tx, FEED_SETTING)
    const apiKey = await chooseKey(ctx, actor, enteredForm)
    const sealedKey = apiKey === null ? null : sealSecret(ctx.config.appSecret, FEED_SETTING, apiKey)
    const row: StoredSettings = { externalEndpoint, apiKey: sealedKey, reconnectInterval, maxRetries, isEnabled }
    await saveSetting(tx, FEED_SETTING, row, now)
    // The stored status may come from another engine, so it is deleted. An engine sends its status
    // again when the server connects.
    await deleteEngineStatus(tx)
    const keyChange = enteredForm.apiKey ? 'replaced' : enteredForm.apiKey === null ? 'removed' : 'kept'
    const detail = {
      endpoint: removeQuery(externalEndpoint),
      key: keyChange,
      isEnabled,
      reconnectInterval,
      maxRetries,
    }
    await recordAudit(tx, { ...by, action: 'feed_saved', subject: FEED_SETTING, detail, at: now })
    await ctx.notifications.notify(tx, 'settings', FEED_SETTING)
  })
}

/** Returns where the key of a test comes from, for the audit log. */
export function describeKey(enteredForm: Pick<EnteredForm, 'apiKey'>, chosenKey: string | null) {
  if (chosenKey === null) return 'none'
  return enteredForm.apiKey ? 'entered' : 'stored'
}

export function assertEndpoint(ctx: Context, endpoint: string): void {
  try {
    parseEndpoint(endpoint, ctx.config.feed.allowPrivate)
  } catch (error) {
    throw new Refusal('endpoint_refused', error instanceof Error ? error.message : 'The endpoint is not valid')
  }
}

/** Removes the query, because some feeds expect their key in it. */
export function removeQuery(endpoint: string): string {
  return endpoint.replace(/\?.*$/s, '')
}
