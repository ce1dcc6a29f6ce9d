import { RouterContextProvider } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { GateFace } from '../features/dashboard/connect-gate.tsx'
import { Restoring } from '../features/dashboard/restoring.tsx'
import { paths } from '../paths.ts'
import { PrerenderedShell, PulseStrip } from '../shell/app-shell.tsx'
import { FullPageSpinner } from '../ui/spinner.tsx'
import { router } from './router.tsx'

/**
 * Prerendered content of a signed-in page while the session is checked: the layout if this browser
 * was signed in, otherwise a spinner. CSS shows one of them, depending on attributes set by
 * `public/theme.js`. The router must already be at `path`.
 */
export function PrerenderedGate({ path, title }: { path: string; title: string }) {
  return (
    <>
      <div className="signed-in:hidden">
        <FullPageSpinner>Checking authentication...</FullPageSpinner>
      </div>
      <div className="signed-out:hidden">
        <RouterContextProvider router={router}>
          {path === paths.dashboard ? <PrerenderedDashboard /> : <PrerenderedPage path={path} title={title} />}
        </RouterContextProvider>
      </div>
    </>
  )
}

function PrerenderedDashboard() {
  return (
    <PrerenderedShell pulse={<PulsePlaceholder />}>
      <div className="wallet-known:hidden">
        <GateFace onConnect={null} />
      </div>
      <div className="wallet-none:hidden">
        <Restoring />
      </div>
    </PrerenderedShell>
  )
}

function PrerenderedPage({ path, title }: { path: string; title: string }) {
  return (
    <PrerenderedShell pulse={path === paths.notifications && <PulsePlaceholder />}>
      <h1 className="text-h1">{title}</h1>
    </PrerenderedShell>
  )
}

/** The pulse line exists only if a wallet is connected. */
function PulsePlaceholder(): ReactNode {
  return (
    <div className="wallet-none:hidden">
      <PulseStrip />
    </div>
  )
}
