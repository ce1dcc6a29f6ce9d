import { z } from 'zod'
import { alertContent } from './alerts.ts'
import { isTimeZone } from './preferences.ts'
import { priority } from './primitives.ts'
import { isDistinct } from './shared-schemas.ts'

const createNameList = (text: z.ZodString) => z.array(text).max(50).refine(isDistinct, 'List each value once')

/** The alerts that a destination receives. An empty list allows all values. */
export const deliveryRules = z.strictObject({
  assets: createNameList(alertContent.asset),
  /**
   * If true, the assets that are on the account's watchlist when the alert is issued are allowed
   * too.
   */
  watchlist: z.boolean(),
  types: createNameList(alertContent.anomalyType),
  regimes: createNameList(alertContent.regime),
  lowestPriority: priority,
  /** In percent. */
  lowestConfidence: z.number().int().min(0).max(100),
  /** Minimum time in minutes between two alerts of the same asset and type. 0: no limit. */
  coolDownMinutes: z.number().int().min(0).max(1_440),
  /**
   * Maximum number of alerts per hour. Further alerts arrive as one summary at the end of the hour.
   * Null: no limit.
   */
  mostPerHour: z.number().int().min(1).max(100).nullable(),
})
export type DeliveryRules = z.infer<typeof deliveryRules>
export const allAlerts: DeliveryRules = {
  assets: [],
  watchlist: false,
  types: [],
  regimes: [],
  lowestPriority: 'low',
  lowestConfidence: 0,
  coolDownMinutes: 0,
  mostPerHour: null,
}

/**
 * An IANA time zone. `browser` is not allowed, because the server does not know the device's zone.
 */
export const zoneName = z
  .string()
  .max(64)
  .refine((name) => name !== 'browser' && isTimeZone(name), 'Expected a time zone, for example Europe/Berlin')
const minuteOfDay = z.number().int().min(0).max(1_439)

/** Hours in which alerts are not sent immediately. They are sent as one digest afterwards. */
export const quietHours = z
  .strictObject({
    /** Days on which the quiet hours begin: 1 is Monday, 7 is Sunday. */
    days: z.array(z.number().int().min(1).max(7)).min(1).max(7),
    /**
     * Start in minutes after midnight, local time. If `to` is not later than `from`, the quiet
     * hours end on the next day.
     */
    from: minuteOfDay,
    to: minuteOfDay,
    timeZone: zoneName,
    criticalPasses: z.boolean(),
  })
  .refine(({ from, to }) => from !== to, 'Quiet hours need a beginning and an end that differ')
  .refine(({ days }) => isDistinct(days), 'Name each day once')
export type QuietHours = z.infer<typeof quietHours>

/** The times at which a destination receives digests. */
export const digestTimes = z.discriminatedUnion('every', [
  z.strictObject({ every: z.literal('hour') }),
  z.strictObject({ every: z.literal('day'), hour: z.number().int().min(0).max(23), timeZone: zoneName }),
])
export type DigestTimes = z.infer<typeof digestTimes>
