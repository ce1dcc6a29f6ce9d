import type { PublicConfig } from '@tocsin/protocol'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'

const googleMark =
  'M21.6 10.2H12.2v3.9h5.4a4.7 4.7 0 0 1-2 3 6 6 0 1 1-3.4-11 5.4 5.4 0 0 1 3.8 1.5l2.9-2.9A9.9 9.9 0 1 0 12.2 22c5.7 0 9.5-4 9.5-9.7 0-.7 0-1.4-.1-2.1Z'
const linkedInMark =
  'M3 3v18h18V3H3Zm5.6 15.2H6V9.9h2.6v8.3ZM7.3 8.7a1.5 1.5 0 1 1 0-3 1.5 1.5 0 0 1 0 3Zm11 9.5h-2.6v-4c0-1 0-2.3-1.4-2.3s-1.6 1.1-1.6 2.2v4.1h-2.6V9.9h2.5V11c.4-.7 1.2-1.4 2.5-1.4 2.7 0 3.2 1.7 3.2 4v4.6Z'

/** The ways to sign in without a password, over the line that leads to the e-mail form. One that the operator has not set up says so. */
export function ProviderButtons({ signIn }: { signIn: PublicConfig['signIn'] }) {
  return (
    <div className="mb-6">
      <div className="flex gap-2 *:flex-1">
        <ProviderButton name="Google" href="/api/auth/google" isConfigured={signIn.google} mark={googleMark} />
        <ProviderButton name="LinkedIn" href="/api/auth/linkedin" isConfigured={signIn.linkedin} mark={linkedInMark} />
      </div>
      <p className="mt-5 flex items-center gap-4 text-hint text-2 before:h-px before:flex-1 before:bg-line-1 after:h-px after:flex-1 after:bg-line-1">
        or with email
      </p>
    </div>
  )
}

interface ProviderButtonProps {
  name: string
  href: string
  isConfigured: boolean
  mark: string
}

/** The server redirects to the provider, so a configured one is a link that leaves the page. */
function ProviderButton({ name, href, isConfigured, mark }: ProviderButtonProps) {
  const face = (
    <>
      <svg aria-hidden viewBox="0 0 24 24" width={18} height={18} fill="currentColor">
        <path d={mark} />
      </svg>
      {name}
    </>
  )
  if (isConfigured) {
    return (
      <Button asChild size="lg">
        <a href={href}>{face}</a>
      </Button>
    )
  }
  const explain = () =>
    toast({ title: `${name} is not configured`, description: 'Log in with your email and password.' })
  return (
    <Button size="lg" onClick={explain}>
      {face}
    </Button>
  )
}
