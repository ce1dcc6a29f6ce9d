import { maxExtensionHours } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { z } from 'zod'

export const extensionPresets = [
  { label: '6h', hours: 6 },
  { label: '24h', hours: 24 },
  { label: '3d', hours: 72 },
  { label: '1w', hours: 168 },
] as const

export const invalidHoursMessage = 'Please enter a valid number of hours.'

export const extensionForm = z.object({
  hours: z
    .string()
    .trim()
    .regex(/^\d{1,9}$/, invalidHoursMessage)
    .transform(Number)
    .refine((hours) => hours >= 1 && hours <= maxExtensionHours, invalidHoursMessage),
  reason: z.string().trim().max(500, 'At most 500 characters'),
})
export type ExtensionDraft = z.input<typeof extensionForm>
export type Extension = z.output<typeof extensionForm>

/** Returns the time at which the extended access ends, or null while the hours are invalid. */
export function computeExtendedEnd(endTime: string, typedHours: string): string | null {
  const hours = extensionForm.shape.hours.safeParse(typedHours).data
  return hours === undefined ? null : new Date(Date.parse(endTime) + hours * HOUR_MS).toISOString()
}
