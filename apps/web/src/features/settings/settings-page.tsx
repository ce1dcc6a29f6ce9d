import { Panel } from '../../ui/panel.tsx'
import { ThemeToggle } from '../../ui/theme-toggle.tsx'
import { SecuritySection } from './security-section.tsx'
import { SystemSection } from './system-section.tsx'
import { WalletSection } from './wallet-section.tsx'

export function SettingsPage() {
  return (
    <>
      <h1 className="text-h1">Settings</h1>
      <p className="mt-1 mb-6 text-body text-2">Your account, this browser, and the service you are connected to.</p>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="grid gap-4">
          <WalletSection />
          <Panel title="Appearance">
            <div className="flex flex-wrap items-center justify-between gap-4">
              <div>
                <p className="text-base font-medium">Theme</p>
                <p className="text-hint text-2">Of this browser. System follows your device.</p>
              </div>
              <ThemeToggle />
            </div>
          </Panel>
          <SecuritySection />
        </div>
        <SystemSection />
      </div>
    </>
  )
}
