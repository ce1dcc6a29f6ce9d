import { ProviderFailure } from '../account/provider-failure.tsx'
import { useReturnParameter } from '../account/provider-return.ts'
import { AccountSection } from './account-section.tsx'
import { AppearanceSection } from './appearance-section.tsx'
import { NotificationsSection } from './notifications-section.tsx'
import { OwnDataSection } from './own-data-section.tsx'
import { SecuritySection } from './security-section.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { SystemSection } from './system-section.tsx'
import { useAccountSync } from './use-account-change.ts'
import { WalletSection } from './wallet-section.tsx'

export function SettingsPage() {
  useAccountSync()
  const providerError = useReturnParameter('provider_error')
  return (
    <>
      <h1 className="text-h1">Settings</h1>
      <p className="mt-1 mb-6 text-body text-2">Your account, this browser and the server.</p>
      {providerError !== null && <ProviderFailure code={providerError} />}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="grid min-w-0 gap-4">
          <NotificationsSection />
          <AppearanceSection />
          <WalletSection />
          <AccountSection />
        </div>
        <div className="grid min-w-0 gap-4">
          <SecuritySection />
          <SessionsSection />
          <OwnDataSection />
          <SystemSection />
        </div>
      </div>
    </>
  )
}
