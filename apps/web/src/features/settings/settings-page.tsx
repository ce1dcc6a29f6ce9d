import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { deletePhrase } from '@tocsin/protocol'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { useAuth, useUser } from '../../session/auth.tsx'
import { useSavePreferences } from '../../session/preferences.ts'
import { useReauthentication } from '../../session/reauthentication.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Panel } from '../../ui/panel.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { SiteLink } from '../../ui/site-link.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { ProviderFailure } from '../account/provider-failure.tsx'
import { useReturnParameter } from '../account/provider-return.ts'
import { formatFailure, toastFailure } from '../account/toast-failure.ts'
import { shortcutsDialogRequests } from '../live/open-requests.ts'
import { AccountSection } from './account-section.tsx'
import { ApiKeysSection } from './api-keys-section.tsx'
import { AppearanceSection } from './appearance-section.tsx'
import { BrowserNotificationsRow } from './browser-notifications-row.tsx'
import { FactorsSection } from './factors-section.tsx'
import { QueryContent } from './query-content.tsx'
import { SecurityLogSection } from './security-log-section.tsx'
import { SecuritySection } from './security-section.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { SettingRow, SettingRows } from './setting-row.tsx'
import { SoundRow } from './sound-row.tsx'
import { SwitchRow } from './switch-row.tsx'
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
          <Panel title="Channels" flush>
            <SettingRows>
              <SettingRow
                label="Alerts when no page is open"
                detail="Where alerts are sent, and the result of each delivery."
              >
                <Button asChild>
                  <SiteLink href={paths.channels}>Open channels</SiteLink>
                </Button>
              </SettingRow>
            </SettingRows>
          </Panel>
          <AppearanceSection />
          <WalletSection />
          <AccountSection />
        </div>
        <div className="grid min-w-0 gap-4">
          <SecuritySection />
          <FactorsSection />
          <SessionsSection />
          <SecurityLogSection />
          <ApiKeysSection />
          <OwnDataSection />
          <SystemSection />
        </div>
      </div>
    </>
  )
}

/** Data export and account deletion. */
export function OwnDataSection() {
  const [isDeleting, setIsDeleting] = useState(false)
  return (
    <Panel title="Your data" flush>
      <SettingRows>
        <SettingRow label="Download my data" detail="All data of your account in one JSON file.">
          <DownloadButton />
        </SettingRow>
        <SettingRow label="Delete my account" detail="Ends your subscription and all sessions. It can’t be undone.">
          <Button variant="danger" aria-label="Delete my account" onClick={() => setIsDeleting(true)}>
            Delete…
          </Button>
        </SettingRow>
      </SettingRows>
      {isDeleting && <DeleteAccountDialog onClose={() => setIsDeleting(false)} />}
    </Panel>
  )
}

function DownloadButton() {
  const withReauthentication = useReauthentication()
  const download = useMutation({
    mutationFn: () => withReauthentication(() => call('exportAccount')),
    onSuccess: (data) => saveFile(`tocsin-account-${data.exportedAt.slice(0, 10)}.json`, JSON.stringify(data, null, 2)),
    onError: (error) => toastFailure(error, 'Your data could not be exported. Please try again.'),
  })
  return (
    <Button busy={download.isPending} aria-label="Download my data" onClick={() => download.mutate()}>
      {download.isPending ? 'Preparing…' : 'Download'}
    </Button>
  )
}

/** Notification settings. Stored in the account, so they apply to all its devices. */
function NotificationsSection() {
  const preferencesQuery = useQuery(queries.preferences)
  const save = useSavePreferences()
  return (
    <Panel title="Notification preferences" flush footer="Saved in your account, for all your devices.">
      <QueryContent query={preferencesQuery} what="your notification preferences" rows={7}>
        {(preferences) => (
          <SettingRows>
            <SwitchRow
              label="Real-time alerts"
              detail="New alerts appear and are announced at once. Off: pages change only when you reload or refresh them, and nothing is announced."
              isOn={preferences.realTimeAlerts}
              onChange={(realTimeAlerts) => save({ realTimeAlerts })}
            />
            <SwitchRow
              label="Auto-verify signatures"
              detail="This browser checks the content, signature and Merkle path of each new alert. An alert that fails is marked “Proof failed” and is not announced as an alert."
              isOn={preferences.autoVerify}
              onChange={(autoVerify) => save({ autoVerify })}
            />
            <SwitchRow
              label="High priority only"
              detail="Announces only high and critical alerts. Lists still show all alerts."
              isOn={preferences.highPriorityOnly}
              onChange={(highPriorityOnly) => save({ highPriorityOnly })}
            />
            <SwitchRow
              label="Outcome toasts"
              detail="Shows each verdict on a prediction when it arrives. Off: verdicts appear in lists and on alerts only."
              isOn={preferences.outcomeToasts}
              onChange={(outcomeToasts) => save({ outcomeToasts })}
            />
            <BrowserNotificationsRow preferences={preferences} save={save} />
            <SoundRow preferences={preferences} save={save} />
            <SwitchRow
              label="Keyboard shortcuts"
              detail="Single keys, such as p to pause. The shortcuts are inactive while you type."
              isOn={preferences.shortcuts}
              onChange={(shortcuts) => save({ shortcuts })}
            >
              <Button
                size="sm"
                variant="ghost"
                className="phone:hidden"
                onClick={() => shortcutsDialogRequests.requestOpen()}
              >
                Show keys
              </Button>
            </SwitchRow>
          </SettingRows>
        )}
      </QueryContent>
    </Panel>
  )
}

function DeleteAccountDialog({ onClose }: { onClose: () => void }) {
  const withReauthentication = useReauthentication()
  const { signOut } = useAuth()
  const navigate = useNavigate()
  const { register, handleSubmit, setError, formState } = useForm({ defaultValues: { confirmation: '' } })
  const { errors, isSubmitting } = formState

  async function remove({ confirmation }: { confirmation: string }) {
    if (confirmation.trim().toLowerCase() !== deletePhrase) {
      return setError('confirmation', { message: `Please type: ${deletePhrase}` }, { shouldFocus: true })
    }
    try {
      const { message } = await withReauthentication(() =>
        call('deleteAccount', { body: { confirmation: deletePhrase } }),
      )
      toast({ title: 'Account Deleted', description: message })
      await signOut({ forgetAdmin: true, leave: () => navigate({ to: paths.home }) })
    } catch (error) {
      const message = formatFailure(error, 'Your account could not be deleted. Please try again.')
      setError('confirmation', { message }, { shouldFocus: true })
    }
  }

  return (
    <FormDialog
      title="Delete my account"
      description="Your account is deleted immediately. This can’t be undone, not even by us."
      submitLabels={{ send: 'Delete my account', sending: 'Deleting…' }}
      variant="danger"
      isSending={isSubmitting}
      onSubmit={handleSubmit(remove)}
      onClose={onClose}
    >
      <ul className="grid list-disc gap-2 pl-4 text-base text-2 marker:text-3">
        <li>Your name, email, password, sessions and linked sign-ins are deleted.</li>
        <SubscriptionEnds />
        <li>Your wallets are unlinked. This does not affect the funds in them.</li>
        <li>
          Payments stay in our books without your name, and on the chain. The public log contains only alerts, nothing
          about you.
        </li>
      </ul>
      <TextField
        {...register('confirmation')}
        id="delete-confirmation"
        label={`Type “${deletePhrase}”`}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        error={errors.confirmation?.message}
      />
    </FormDialog>
  )
}

function SubscriptionEnds() {
  const { id } = useUser()
  const { data: subscription } = useQuery(queries.activeSubscription(id))
  if (subscription === undefined) return <li>An active subscription ends immediately. Paid ITO is not refunded.</li>
  if (subscription === null) return <li>You have no active subscription. Paid ITO is not refunded.</li>
  return (
    <li>
      Your subscription, paid until <Time at={subscription.endTime} show="date" /> <ZoneName />, ends immediately. Paid
      ITO is not refunded.
    </li>
  )
}
