import { type AnchorHTMLAttributes, type ComponentType, createContext, use } from 'react'

type SiteLinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }

/** Within the app its router follows links without a reload; a page that stands alone leaves them to the browser. */
export const SiteLinkContext = createContext<ComponentType<SiteLinkProps> | 'a'>('a')

/** A link of the public pages, to an address of this site. */
export function SiteLink(props: SiteLinkProps) {
  const Link = use(SiteLinkContext)
  return <Link {...props} />
}
