import { useRouter } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, MouseEvent } from 'react'

type HrefLinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & {
  href: string
  /** Replaces the navigation to `href` in this tab. */
  onFollow?: () => void
}

/** Client-side link to a URL of this site that is only known as a string, including its query. */
export function HrefLink({ href, onClick, onFollow, ...rest }: HrefLinkProps) {
  const router = useRouter()
  function handleClick(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event)
    const isForBrowser = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
    if (event.defaultPrevented || isForBrowser) return
    event.preventDefault()
    if (onFollow) onFollow()
    else router.history.push(href)
  }
  return <a {...rest} href={href} onClick={handleClick} />
}
