import { type AnchorHTMLAttributes, type ComponentType, createContext, use } from 'react'

type SiteLinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }

/** Link component: the router's inside the app, a plain `a` on standalone pages. */
export const SiteLinkContext = createContext<ComponentType<SiteLinkProps> | 'a'>('a')

/** A link on a public page to another page of this site. */
export function SiteLink(props: SiteLinkProps) {
  const Link = use(SiteLinkContext)
  return <Link {...props} />
}
