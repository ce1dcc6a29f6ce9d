import { zodResolver } from '@hookform/resolvers/zod'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FeedConfig, maxRetriesBounds, type RequestBody, reconnectIntervalBounds } from '@tocsin/protocol'
import { useForm } from 'react-hook-form'
import { call } from '../../api/api.ts'
import { useReauthentication } from '../../session/reauthentication.ts'
import { Dot } from '../../shell/status.tsx'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { toastFailure } from '../account/toast-failure.ts'
import { adminQueries } from './admin-queries.ts'
import { AdminQueryError } from './admin-query-error.tsx'
import { useAllowed } from './allowed.tsx'
import { createFeedDraft, createFeedRequest, type FeedDraft, type FeedForm, feedForm } from './feed-form.ts'
import { feedStyles } from './feed-styles.ts'
import { FeedTestResult } from './feed-test-result.tsx'
import { refreshAfterChange } from './refresh.ts'

const formId = 'feed'

/** Configuration and test of the external signal feed. */
export function FeedPanel() {
  const query = useQuery(adminQueries.feed)
  const { data, error } = query
  if (data) return <FeedPanelForm config={data} />
  return (
    <Panel title="External Signal Configuration">
      {error ? (
        <AdminQueryError fallback="Failed to fetch the signal configuration" query={query} />
      ) : (
        <div role="status" aria-label="Loading the signal configuration" className="h-70">
          <Skeleton className="h-full" />
        </div>
      )}
    </Panel>
  )
}

function FeedPanelForm({ config }: { config: FeedConfig }) {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  const mayChange = useAllowed('settings.change')
  const { register, handleSubmit, reset, formState } = useForm<FeedDraft, unknown, FeedForm>({
    resolver: zodResolver(feedForm),
    // If another admin saves changes, the form shows the new values. Fields that are being edited
    // keep their values.
    values: createFeedDraft(config),
    resetOptions: { keepDirtyValues: true },
  })
  const { errors, isDirty, dirtyFields } = formState
  const save = useMutation({
    mutationFn: (form: FeedForm) =>
      withReauthentication(() => call('saveFeedConfig', { body: createFeedRequest(form) })),
    onSuccess: async ({ message }, form) => {
      toast({ title: 'WebSocket Config Updated', description: message, variant: 'success' })
      const savedConfig = await queryClient
        .fetchQuery({ ...adminQueries.feed, staleTime: 0 })
        .catch(() => ({ ...config, ...form }))
      // Reset all fields. In particular, remove the API key, which must not stay in the page.
      reset(createFeedDraft(savedConfig), { keepDirtyValues: false })
      test.reset()
      refreshAfterChange(queryClient)
    },
    onError: (error) =>
      toastFailure(error, 'Failed to update the signal configuration. Please try again.', 'Update Failed'),
  })
  const test = useMutation({
    mutationFn: (body: RequestBody<'testFeed'>) => withReauthentication(() => call('testFeed', { body })),
    onSuccess: ({ success, message }) => {
      if (success) toast({ title: 'Connection Test successful', description: message, variant: 'success' })
      else toast({ title: 'Connection Failed', description: message, variant: 'destructive' })
      refreshAfterChange(queryClient)
    },
    onError: (error) => toastFailure(error, 'The test could not be made. Please try again.', 'Connection Failed'),
  })
  // Without edits, tests the saved configuration. If that test succeeds, the server also reconnects
  // a feed in the state `failed`.
  const startTest = (form: FeedForm) => test.mutate(isDirty ? createFeedRequest(form) : {})

  return (
    <Panel
      title="External Signal Configuration"
      actions={<Checkbox {...register('isEnabled')} form={formId} label="Enabled" disabled={!mayChange} />}
    >
      <form id={formId} noValidate onSubmit={handleSubmit((form) => save.mutate(form))}>
        <fieldset disabled={!mayChange} className="grid gap-5">
          <FeedInUse config={config} />
          <TextField
            {...register('externalEndpoint')}
            label="Endpoint"
            placeholder="wss://signals.example/v2/stream"
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            mono
            hint={
              dirtyFields.externalEndpoint
                ? 'Not saved yet. The endpoint above stays in use until you save.'
                : undefined
            }
            error={errors.externalEndpoint?.message}
          />
          <div className="grid gap-1">
            <TextField
              {...register('apiKey')}
              type="password"
              label="API key"
              aside={config.apiKeyHint === null ? 'Optional' : 'Leave empty to keep the stored key'}
              placeholder={config.apiKeyHint === null ? 'No key stored' : `••••••••••••${config.apiKeyHint}`}
              autoComplete="new-password"
              mono
              error={errors.apiKey?.message}
            />
            {config.apiKeyHint !== null && <Checkbox {...register('removeKey')} label="Remove the stored key" />}
          </div>
          <div className="grid grid-cols-2 items-start gap-4 phone:grid-cols-1">
            <TextField
              {...register('reconnectInterval')}
              type="number"
              {...reconnectIntervalBounds}
              label="Reconnect interval"
              suffix={`s, ${reconnectIntervalBounds.min} to ${reconnectIntervalBounds.max}`}
              inputMode="numeric"
              autoComplete="off"
              mono
              error={errors.reconnectInterval?.message}
            />
            <TextField
              {...register('maxRetries')}
              type="number"
              {...maxRetriesBounds}
              label="Max retries"
              suffix={`${maxRetriesBounds.min} to ${maxRetriesBounds.max}`}
              inputMode="numeric"
              autoComplete="off"
              mono
              error={errors.maxRetries?.message}
            />
          </div>
          {mayChange && (
            <div className="flex flex-wrap items-center gap-2">
              <Button type="submit" variant="primary" size="lg" busy={save.isPending}>
                {save.isPending ? 'Saving…' : 'Save Configuration'}
              </Button>
              <Button size="lg" busy={test.isPending} onClick={() => void handleSubmit(startTest)()}>
                {test.isPending ? 'Testing…' : 'Test Connection'}
              </Button>
            </div>
          )}
          {isDirty && (
            <p role="status" className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 text-base">
              Unsaved changes
              <Button
                size="sm"
                variant="ghost"
                onClick={() => reset(createFeedDraft(config), { keepDirtyValues: false })}
              >
                Discard
              </Button>
            </p>
          )}
          <FeedTestResult config={config} tested={test.variables} result={test.data} isTesting={test.isPending} />
        </fieldset>
      </form>
    </Panel>
  )
}

/** The endpoint and state of the saved configuration, regardless of unsaved edits. */
function FeedInUse({ config: { externalEndpoint, isSaved, state } }: { config: FeedConfig }) {
  const style = feedStyles[state]
  return (
    <section aria-label="In use" className="border border-line-1 bg-ink-0 px-4 py-3">
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <h3 className="text-label text-2">In use</h3>
        <span className="flex items-center gap-2 text-base">
          <Dot className={style.dot} />
          {style.feed}
        </span>
      </div>
      <p className="mt-1 font-mono text-data wrap-anywhere">{externalEndpoint || 'No endpoint'}</p>
      <p className="mt-1 text-hint text-2">
        {isSaved ? 'Saved here.' : 'From the environment. Saved settings override it.'}
      </p>
    </section>
  )
}
