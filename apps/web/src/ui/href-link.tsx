import { useRouter } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, MouseEvent } from 'react'

type HrefLinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }

/** A link to an address of this site that is only known as text, with its query. Does not reload the page. */
export function HrefLink({ href, onClick, ...rest }: HrefLinkProps) {
  const router = useRouter()
  function handleClick(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event)
    const forBrowser = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
    if (event.defaultPrevented || forBrowser) return
    event.preventDefault()
    router.history.push(href)
  }
  return <a {...rest} href={href} onClick={handleClick} />
}
