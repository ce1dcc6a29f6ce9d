import { Link, useLocation } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { Mark } from '../../ui/identity/logo.tsx'
import { getOfflineTitle, getReason } from './offline-reasons.ts'

/** Replaces a public page that needs the server when it is opened without a network. */
export function OfflineSite() {
  const { pathname } = useLocation()
  return (
    <main className="grid min-h-[85dvh] place-items-center p-6">
      <div className="flex max-w-sm flex-col items-center text-center">
        <Mark size={96} />
        <p className="mt-8 text-label text-2">Offline</p>
        <h1 className="mt-2 text-h1">{getOfflineTitle(pathname)}</h1>
        <p className="mt-2 text-body text-2">{getReason(pathname)}</p>
        <p className="mt-2 text-body text-2">This page opens automatically when the connection is back.</p>
        <Button asChild variant="primary" size="lg" className="mt-6">
          <Link to={paths.notifications}>Show stored alerts</Link>
        </Button>
      </div>
    </main>
  )
}
