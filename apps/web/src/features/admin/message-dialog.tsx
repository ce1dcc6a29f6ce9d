import { useMutation } from '@tanstack/react-query'
import {
  type MessageContent,
  type PlanId,
  planIds,
  plans,
  previewMessageRequest,
  type ResponseOf,
  type Segment,
} from '@tocsin/protocol'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/api.ts'
import { formatCountOf } from '../../ui/count.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { TextareaField } from '../../ui/textarea-field.tsx'
import { toastFailure } from '../account/toast-failure.ts'
import { adminQueries } from './admin-queries.ts'
import { formatSegment, segmentLabels } from './outreach-texts.ts'
import { refreshWithAudit } from './refresh.ts'
import { useAdminAction } from './use-admin-action.ts'

const segmentKinds = Object.keys(segmentLabels) as Segment['kind'][]

interface Draft {
  via: 'mail' | 'channel'
  kind: 'service' | 'news'
  segment: Segment['kind']
  days: string
  planType: PlanId
  chainId: string
  subject: string
  text: string
}

/**
 * Form for a message. It shows a preview and the number of recipients, and then sends exactly the
 * message of the preview.
 */
export function MessageDialog({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>({
    ...{ via: 'mail', kind: 'news', segment: 'with-plan', days: '3', planType: '24h', chainId: '1' },
    ...{ subject: '', text: '' },
  })
  const [error, setError] = useState<string>()
  const [shownPreview, setShownPreview] = useState<{ content: MessageContent; preview: ResponseOf<'previewMessage'> }>()
  const updateDraft = (next: Partial<Draft>) => setDraft({ ...draft, ...next })
  const preview = useMutation({
    mutationFn: async (content: MessageContent) => ({
      content,
      preview: await call('previewMessage', { body: content }),
    }),
    onSuccess: setShownPreview,
    onError: (reason) => toastFailure(reason, 'The preview could not be fetched. Please try again.'),
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    const { via, kind, subject, text } = draft
    const parsedContent = previewMessageRequest.safeParse({ via, kind, segment: createSegment(draft), subject, text })
    setError(
      parsedContent.success ? undefined : 'Enter a subject, a text and, where asked, a number of days from 1 to 365.',
    )
    if (parsedContent.success && !preview.isPending) preview.mutate(parsedContent.data)
  }

  if (shownPreview)
    return <Confirmation {...shownPreview} onBack={() => setShownPreview(undefined)} onClose={onClose} />
  return (
    <FormDialog
      title="New message"
      description="Nothing is sent before you have seen the recipients and the text."
      submitLabels={{ send: 'Preview', sending: 'Counting…' }}
      isSending={preview.isPending}
      hasUnsavedText={draft.subject !== '' || draft.text !== ''}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <SelectField
        label="Recipients"
        value={draft.segment}
        onChange={({ target }) => updateDraft({ segment: segmentKinds.find((one) => one === target.value) ?? 'all' })}
      >
        {segmentKinds.map((one) => (
          <option key={one} value={one}>
            {segmentLabels[one]}
          </option>
        ))}
      </SelectField>
      {(draft.segment === 'ending' || draft.segment === 'ended') && (
        <TextField
          label="Days"
          inputMode="numeric"
          maxLength={3}
          mono
          value={draft.days}
          onChange={({ target }) => updateDraft({ days: target.value })}
        />
      )}
      {draft.segment === 'by-plan' && (
        <SelectField
          label="Plan"
          value={draft.planType}
          onChange={({ target }) => updateDraft({ planType: planIds.find((one) => one === target.value) ?? '24h' })}
        >
          {plans.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
      {draft.segment === 'by-chain' && (
        <TextField
          label="Chain ID"
          inputMode="numeric"
          maxLength={12}
          mono
          value={draft.chainId}
          onChange={({ target }) => updateDraft({ chainId: target.value })}
        />
      )}
      <Segmented
        label="Send by"
        size="lg"
        value={draft.via}
        onChange={(via) => updateDraft({ via })}
        choices={[
          { value: 'mail', label: 'Mail' },
          { value: 'channel', label: 'Channel' },
        ]}
      />
      <Segmented
        label="Message type"
        size="lg"
        value={draft.kind}
        onChange={(kind) => updateDraft({ kind })}
        choices={[
          { value: 'news', label: 'News' },
          { value: 'service', label: 'About the service' },
        ]}
      />
      <p className="-mt-3 text-hint text-2">
        {draft.kind === 'news'
          ? 'Contains an unsubscribe link. Users who have unsubscribed do not get the message.'
          : 'Only for information about the service, such as an outage. Users who have unsubscribed get the message too.'}
        {draft.via === 'channel' && ' Channels reach users with a plan only.'}
      </p>
      <TextField
        label="Subject"
        maxLength={120}
        autoComplete="off"
        value={draft.subject}
        onChange={({ target }) => updateDraft({ subject: target.value })}
      />
      <TextareaField
        label="Text"
        aside="Plain text"
        rows={6}
        maxLength={5000}
        value={draft.text}
        onChange={({ target }) => updateDraft({ text: target.value })}
      />
    </FormDialog>
  )
}

function createSegment({ segment: kind, days, planType, chainId }: Draft): unknown {
  if (kind === 'ending' || kind === 'ended') return { kind, days: Number(days) }
  if (kind === 'by-plan') return { kind, planType }
  return kind === 'by-chain' ? { kind, chainId: Number(chainId) } : { kind }
}

const formatUserCount = (count: number) => formatCountOf(count, 'user')

interface ConfirmationProps {
  content: MessageContent
  preview: ResponseOf<'previewMessage'>
  onBack: () => void
  onClose: () => void
}

function Confirmation({ content, preview: { count, preview }, onBack, onClose }: ConfirmationProps) {
  const send = useAdminAction({
    run: async () => {
      const { total } = await call('createMessage', { body: { ...content, count } })
      return { message: `The message is sent to ${formatUserCount(total)}, 20 per second.` }
    },
    done: 'Message Queued',
    failed: 'The message was not sent. Please try again.',
    refresh: (client) => refreshWithAudit(client, adminQueries.messages.queryKey),
    onDone: onClose,
  })
  const users = formatUserCount(count)
  return (
    <FormDialog
      title={`Send to ${users}?`}
      description={`${formatSegment(content.segment)}, by ${content.via}.`}
      submitLabels={{ send: `Send to ${users}`, sending: 'Queuing…' }}
      cancelLabel="Back"
      isSending={send.isPending}
      error={count === 0 ? 'No account meets these conditions now.' : undefined}
      onSubmit={(event) => {
        event.preventDefault()
        if (count > 0 && !send.isPending) send.mutate(undefined, { onError: onBack })
      }}
      onClose={onBack}
    >
      <section aria-label="Preview" className="max-h-80 overflow-y-auto border border-line-1 bg-ink-0 p-4">
        <p className="text-base whitespace-pre-wrap wrap-anywhere">{preview}</p>
      </section>
    </FormDialog>
  )
}
