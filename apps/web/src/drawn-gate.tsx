import { RouterContextProvider } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { DrawnShell, PulseStrip } from './app-shell.tsx'
import { GateFace } from './features/dashboard/connect-gate.tsx'
import { Restoring } from './features/dashboard/restoring.tsx'
import { paths } from './paths.ts'
import { router } from './router.tsx'
import { drawingTexts } from './texts/drawing.ts'
import { FullPageSpinner } from './ui/spinner.tsx'

const texts = drawingTexts.drawnGate

/**
 * What a page behind the sign-in shows while the server is asked who is there: its frame to a browser that was signed in, else words. Both are
 * drawn, and styles show one by what `public/theme.js` has found. The router stands at the page.
 */
export function DrawnGate({ path, title }: { path: string; title: string }) {
  return (
    <>
      <div className="signed-in:hidden">
        <FullPageSpinner>{texts.checkingAuthentication}</FullPageSpinner>
      </div>
      <div className="signed-out:hidden">
        <RouterContextProvider router={router}>
          {path === paths.dashboard ? <DrawnDashboard /> : <DrawnPage path={path} title={title} />}
        </RouterContextProvider>
      </div>
    </>
  )
}

function DrawnDashboard() {
  return (
    <DrawnShell pulse={<LatePulse />}>
      <div className="wallet-known:hidden">
        <GateFace onConnect={null} />
      </div>
      <div className="wallet-none:hidden">
        <Restoring />
      </div>
    </DrawnShell>
  )
}

function DrawnPage({ path, title }: { path: string; title: string }) {
  return (
    <DrawnShell pulse={path === paths.notifications && <LatePulse />}>
      <h1 className="text-h1">{title}</h1>
    </DrawnShell>
  )
}

/** There is a pulse line where there is a wallet. */
function LatePulse(): ReactNode {
  return (
    <div className="wallet-none:hidden">
      <PulseStrip />
    </div>
  )
}
