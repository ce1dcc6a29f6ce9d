import { useRouter } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, MouseEvent } from 'react'

type HrefLinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & {
  href: string
  /** Replaces the navigation to `href` in this tab. */
  onNavigate?: () => void
}

/** Client-side link to a URL of this site that is only known as a string, including its query. */
export function HrefLink({ href, onClick, onNavigate, ...rest }: HrefLinkProps) {
  const router = useRouter()
  function handleClick(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event)
    const isHandledByBrowser = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
    if (event.defaultPrevented || isHandledByBrowser) return
    event.preventDefault()
    if (onNavigate) onNavigate()
    else router.history.push(href)
  }
  return <a {...rest} href={href} onClick={handleClick} />
}
