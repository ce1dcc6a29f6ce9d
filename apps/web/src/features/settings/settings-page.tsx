import { Panel } from '../../ui/panel.tsx'
import { ThemeToggle } from '../../ui/theme-toggle.tsx'
import { ProviderFailure } from '../account/provider-failure.tsx'
import { useReturnParameter } from '../account/provider-return.ts'
import { AccountSection } from './account-section.tsx'
import { OwnDataSection } from './own-data-section.tsx'
import { SecuritySection } from './security-section.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { SystemSection } from './system-section.tsx'
import { useAccountNews } from './use-account-change.ts'
import { WalletSection } from './wallet-section.tsx'

export function SettingsPage() {
  useAccountNews()
  const providerError = useReturnParameter('provider_error')
  return (
    <>
      <h1 className="text-h1">Settings</h1>
      <p className="mt-1 mb-6 text-body text-2">Your account, this browser, and the service you are connected to.</p>
      {providerError !== null && <ProviderFailure code={providerError} />}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="grid min-w-0 gap-4">
          <AccountSection />
          <SecuritySection />
          <SessionsSection />
        </div>
        <div className="grid min-w-0 gap-4">
          <WalletSection />
          <AppearanceSection />
          <SystemSection />
          <OwnDataSection />
        </div>
      </div>
    </>
  )
}

function AppearanceSection() {
  return (
    <Panel title="Appearance">
      <div className="flex flex-wrap items-center justify-between gap-4">
        <div>
          <p className="text-base font-medium">Theme</p>
          <p className="text-hint text-2">Of this browser. System follows your device.</p>
        </div>
        <ThemeToggle />
      </div>
    </Panel>
  )
}
