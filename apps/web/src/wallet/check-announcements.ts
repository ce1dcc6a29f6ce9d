import { z } from 'zod'
import { checkProvider } from './checked-provider.ts'

const announcementEvent = 'eip6963:announceProvider'
const maxIconLength = 500_000

/**
 * The detail of an EIP-6963 announcement. An invalid name or icon is replaced; other fields are
 * required.
 */
const detailSchema = z.object({
  info: z.object({
    uuid: z.string().min(1).max(200),
    rdns: z.string().min(1).max(200),
    name: z
      .string()
      .transform((name) => name.trim().slice(0, 60))
      .pipe(z.string().min(1))
      .catch('Browser wallet'),
    // Only data URIs. Loading an icon from a host would tell that host that the user visits this
    // site.
    icon: z.string().trim().startsWith('data:image/').max(maxIconLength).optional().catch(undefined),
  }),
  provider: z.custom<object>((value) => typeof value === 'object' && value !== null),
})

/**
 * Intercepts wallet announcements (EIP-6963) before all other listeners. Validates each one, wraps
 * its provider and dispatches it again; drops invalid ones. Call before any other code listens.
 */
export function interceptWalletAnnouncements(): void {
  window.addEventListener(announcementEvent, checkAnnouncement, { capture: true })
}

const checkedEvents = new WeakSet<Event>()

/** A constant function, so that a repeated start of the wallet code adds no second listener. */
function checkAnnouncement(event: Event): void {
  if (checkedEvents.has(event)) return
  event.stopImmediatePropagation()
  const checkedDetail = parseDetail(event)
  if (!checkedDetail) return
  const checkedEvent = new CustomEvent(announcementEvent, { detail: Object.freeze(checkedDetail) })
  checkedEvents.add(checkedEvent)
  window.dispatchEvent(checkedEvent)
}

function parseDetail(event: Event) {
  try {
    const { info, provider } = detailSchema.parse((event as CustomEvent<unknown>).detail)
    return { info, provider: checkProvider(provider) }
  } catch {
    // Reading any property of a hostile announcement may throw.
    return null
  }
}
