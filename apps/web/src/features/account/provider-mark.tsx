import type { IdentityProvider } from '@tocsin/protocol'

const iconPaths: Record<IdentityProvider, string> = {
  google:
    'M21.6 10.2H12.2v3.9h5.4a4.7 4.7 0 0 1-2 3 6 6 0 1 1-3.4-11 5.4 5.4 0 0 1 3.8 1.5l2.9-2.9A9.9 9.9 0 1 0 12.2 22c5.7 0 9.5-4 9.5-9.7 0-.7 0-1.4-.1-2.1Z',
  linkedin:
    'M3 3v18h18V3H3Zm5.6 15.2H6V9.9h2.6v8.3ZM7.3 8.7a1.5 1.5 0 1 1 0-3 1.5 1.5 0 0 1 0 3Zm11 9.5h-2.6v-4c0-1 0-2.3-1.4-2.3s-1.6 1.1-1.6 2.2v4.1h-2.6V9.9h2.5V11c.4-.7 1.2-1.4 2.5-1.4 2.7 0 3.2 1.7 3.2 4v4.6Z',
}

/** The provider's logo in the text colour. */
export function ProviderMark({ provider }: { provider: IdentityProvider }) {
  return (
    <svg aria-hidden viewBox="0 0 24 24" width={18} height={18} fill="currentColor" className="shrink-0">
      <path d={iconPaths[provider]} />
    </svg>
  )
}
