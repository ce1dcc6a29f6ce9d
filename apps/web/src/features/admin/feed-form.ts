import { type FeedConfig, maxRetriesBounds, type RequestBody, reconnectIntervalBounds } from '@tocsin/protocol'
import { z } from 'zod'

const createWholeNumberSchema = (bounds: { min: number; max: number }) => {
  const rangeMessage = `Enter a whole number from ${bounds.min} to ${bounds.max}`
  return z
    .string()
    .trim()
    .regex(/^\d{1,9}$/, rangeMessage)
    .transform(Number)
    .refine((count) => count >= bounds.min && count <= bounds.max, rangeMessage)
}

/**
 * Validates the External Signal Configuration form. The server decides whether the address is
 * allowed.
 */
export const feedForm = z
  .object({
    externalEndpoint: z
      .string()
      .trim()
      .max(2000, 'At most 2,000 characters')
      .regex(/^($|wss?:\/\/)/i, 'Start with ws:// or wss://'),
    apiKey: z
      .string()
      .max(1000, 'At most 1,000 characters')
      .regex(/^[\x21-\x7e]*$/, 'Only English letters, digits and punctuation, without spaces'),
    removeKey: z.boolean(),
    reconnectInterval: createWholeNumberSchema(reconnectIntervalBounds),
    maxRetries: createWholeNumberSchema(maxRetriesBounds),
    isEnabled: z.boolean(),
  })
  .refine(({ externalEndpoint, isEnabled }) => !isEnabled || externalEndpoint !== '', {
    path: ['externalEndpoint'],
    message: 'Enter the endpoint, or switch the feed off',
  })

export type FeedDraft = z.input<typeof feedForm>
export type FeedForm = z.output<typeof feedForm>

export function createFeedDraft(config: FeedConfig): FeedDraft {
  const { externalEndpoint, reconnectInterval, maxRetries, isEnabled } = config
  return {
    externalEndpoint,
    apiKey: '',
    removeKey: false,
    reconnectInterval: String(reconnectInterval),
    maxRetries: String(maxRetries),
    isEnabled,
  }
}

/**
 * Builds the request from the form. Without `apiKey` the server keeps the stored key; null removes
 * it.
 */
export function createFeedRequest({ apiKey, removeKey, ...form }: FeedForm): RequestBody<'saveFeedConfig'> {
  if (apiKey !== '') return { ...form, apiKey }
  return removeKey ? { ...form, apiKey: null } : form
}
