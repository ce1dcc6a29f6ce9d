import { useLocation, useRouter } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import { paths } from '../../paths.ts'
import { HrefLink } from '../../ui/href-link.tsx'
import { createAlertHref } from './alert-texts.ts'
import { refineSearchParams } from './use-alert-search-params.ts'

/**
 * Returns functions that open or link any alert, whether or not the page lists it. The dashboard
 * and the list of all alerts show the alert on the same page; `open` keeps their filters, and the
 * link of `createHref` drops them. Other pages navigate to the list of all alerts.
 */
export function useAlertOpener() {
  const router = useRouter()
  const path = useLocation({ select: ({ pathname }) => pathname })
  const hasList = path === paths.dashboard || path === paths.notifications
  return {
    createHref: (id: string) => (hasList ? `${path}?alert=${encodeURIComponent(id)}` : createAlertHref(id)),
    open: (id: string) =>
      hasList ? refineSearchParams(router, { alert: id }) : router.history.push(createAlertHref(id)),
  }
}

type AlertLinkProps = Omit<ComponentProps<typeof HrefLink>, 'href' | 'onNavigate'> & { id: string }

/** Link to any alert, whether or not the page lists it. */
export function AlertLink({ id, ...rest }: AlertLinkProps) {
  const opener = useAlertOpener()
  return <HrefLink {...rest} href={opener.createHref(id)} onNavigate={() => opener.open(id)} />
}
