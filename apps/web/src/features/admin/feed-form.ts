import { type FeedConfig, maxRetriesBounds, type RequestBody, reconnectIntervalBounds } from '@tocsin/protocol'
import { z } from 'zod'
import { adminSystemTexts } from '../../texts/admin-system.tsx'

const texts = adminSystemTexts.feedForm

const whole = (bounds: { min: number; max: number }) => {
  const range = texts.enterAWholeNumber({ min: bounds.min, max: bounds.max })
  return z
    .string()
    .trim()
    .regex(/^\d{1,9}$/, range)
    .transform(Number)
    .refine((count) => count >= bounds.min && count <= bounds.max, range)
}

/** The External Signal Configuration form. Which places may be connected to is the server's to say. */
export const feedForm = z
  .object({
    externalEndpoint: z
      .string()
      .trim()
      .max(2000, texts.atMost2000Characters)
      .regex(/^($|wss?:\/\/)/i, texts.startWithWsOrWss),
    apiKey: z
      .string()
      .max(1000, texts.atMost1000Characters)
      .regex(/^[\x21-\x7e]*$/, texts.onlyLettersDigitsAndSigns),
    removeKey: z.boolean(),
    reconnectInterval: whole(reconnectIntervalBounds),
    maxRetries: whole(maxRetriesBounds),
    isEnabled: z.boolean(),
  })
  .refine(({ externalEndpoint, isEnabled }) => !isEnabled || externalEndpoint !== '', {
    path: ['externalEndpoint'],
    message: texts.enterTheEndpointOrSwitch,
  })

export type FeedDraft = z.input<typeof feedForm>
export type FeedForm = z.output<typeof feedForm>

export function draftOfFeed(config: FeedConfig): FeedDraft {
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

/** An empty key keeps the stored one; null takes it away. */
export function feedRequestOf({ apiKey, removeKey, ...form }: FeedForm): RequestBody<'saveFeedConfig'> {
  if (apiKey !== '') return { ...form, apiKey }
  return removeKey ? { ...form, apiKey: null } : form
}
