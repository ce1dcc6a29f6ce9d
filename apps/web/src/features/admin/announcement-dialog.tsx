import { audiences, createAnnouncementRequest, type RequestBody } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/api.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { TextareaField } from '../../ui/textarea-field.tsx'
import { adminQueries } from './admin-queries.ts'
import { formatLocalTime, parseLocalTime } from './local-time.ts'
import { audienceLabels } from './outreach-texts.ts'
import { refreshWithAudit } from './refresh.ts'
import { useAdminAction } from './use-admin-action.ts'

const maxLength = 300

export function AnnouncementDialog({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const [audience, setAudience] = useState<(typeof audiences)[number]>('signed-in')
  const [onPublicPages, setOnPublicPages] = useState(false)
  const [from, setFrom] = useState('')
  const [until, setUntil] = useState(() => formatLocalTime(new Date(Date.now() + DAY_MS)))
  const [error, setError] = useState<string>()
  const create = useAdminAction({
    run: async (body: RequestBody<'createAnnouncement'>) => {
      const { state } = await call('createAnnouncement', { body })
      return {
        message:
          state === 'shown'
            ? 'The audience sees the announcement now.'
            : 'The audience sees the announcement from the chosen time.',
      }
    },
    done: 'Announcement Saved',
    failed: 'The announcement was not saved. Please try again.',
    refresh: (client) => refreshWithAudit(client, adminQueries.announcements.queryKey),
    onDone: onClose,
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    const startsAt = from === '' ? undefined : (parseLocalTime(from) ?? '')
    const parsedRequest = createAnnouncementRequest.safeParse({
      text: text.replace(/\s+/g, ' '),
      audience,
      onPublicPages: onPublicPages && audience === 'all',
      ...(startsAt === undefined ? {} : { from: startsAt }),
      until: parseLocalTime(until) ?? '',
    })
    setError(
      parsedRequest.success ? undefined : 'Enter a text of up to 300 characters and the time until which it is shown.',
    )
    if (parsedRequest.success && !create.isPending) create.mutate(parsedRequest.data)
  }

  return (
    <FormDialog
      title="New announcement"
      description="One sentence of plain text at the top of the pages. Readers can dismiss it."
      submitLabels={{ send: 'Announce', sending: 'Saving…' }}
      isSending={create.isPending}
      hasUnsavedText={text !== ''}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextareaField
        label="Text"
        aside={`${text.length} of ${maxLength}`}
        value={text}
        maxLength={maxLength}
        onChange={({ target }) => setText(target.value)}
      />
      <SelectField
        label="Audience"
        value={audience}
        onChange={({ target }) => setAudience(audiences.find((one) => one === target.value) ?? 'signed-in')}
      >
        {audiences.map((one) => (
          <option key={one} value={one}>
            {audienceLabels[one]}
          </option>
        ))}
      </SelectField>
      {audience === 'all' && (
        <Checkbox
          label="Also on public pages"
          detail="for visitors who are not signed in"
          checked={onPublicPages}
          onChange={({ target }) => setOnPublicPages(target.checked)}
        />
      )}
      <div className="grid grid-cols-2 gap-4 phone:grid-cols-1">
        <TextField
          label="From"
          aside="Empty: now"
          type="datetime-local"
          value={from}
          onChange={({ target }) => setFrom(target.value)}
        />
        <TextField
          label="Until"
          aside="Local time"
          type="datetime-local"
          value={until}
          onChange={({ target }) => setUntil(target.value)}
        />
      </div>
    </FormDialog>
  )
}
