import { z } from 'zod'
import { checkProvider } from './checked-provider.ts'

const announcement = 'eip6963:announceProvider'
const maxIconLength = 500_000

/**
 * EIP-6963. A wallet without a usable name or icon can still be used; one without an identity or a
 * provider can't.
 */
const detail = z.object({
  info: z.object({
    uuid: z.string().min(1).max(200),
    rdns: z.string().min(1).max(200),
    name: z
      .string()
      .transform((name) => name.trim().slice(0, 60))
      .pipe(z.string().min(1))
      .catch('Browser wallet'),
    // Only data URIs: an icon from elsewhere would tell its host who visits.
    icon: z.string().trim().startsWith('data:image/').max(maxIconLength).optional().catch(undefined),
  }),
  provider: z.custom<object>((value) => typeof value === 'object' && value !== null),
})

/**
 * Stands before all other listeners for announced wallets (EIP-6963): passes each announcement on
 * with checked names and a checked provider, and drops those that can't be used. Call before
 * anything listens.
 */
export function checkAnnouncements(): void {
  const passedOn = new WeakSet<Event>()
  const check = (event: Event) => {
    if (passedOn.has(event)) return
    event.stopImmediatePropagation()
    const checked = parseDetail(event)
    if (!checked) return
    const next = new CustomEvent(announcement, { detail: Object.freeze(checked) })
    passedOn.add(next)
    window.dispatchEvent(next)
  }
  window.addEventListener(announcement, check, { capture: true })
}

function parseDetail(event: Event) {
  try {
    const { info, provider } = detail.parse((event as CustomEvent<unknown>).detail)
    return { info, provider: checkProvider(provider) }
  } catch {
    // Reading a hostile announcement may throw at any property.
    return null
  }
}
