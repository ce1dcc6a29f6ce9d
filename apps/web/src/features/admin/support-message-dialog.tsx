import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SupportMessageDetail, supportMessageStates } from '@tocsin/protocol'
import { type Dispatch, type FormEvent, type ReactNode, type SetStateAction, useState } from 'react'
import { call } from '../../api/api.ts'
import { useUser } from '../../session/auth.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { KeyValue, KeyValueList } from '../../ui/key-value.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { TextareaField } from '../../ui/textarea-field.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { toastFailure } from '../account/toast-failure.ts'
import { adminQueries, listKeys } from './admin-queries.ts'
import { AdminQueryError } from './admin-query-error.tsx'
import { useAllowed } from './allowed.tsx'
import { useAdminSearchParams } from './use-admin-search-params.ts'

/**
 * A support message with the replies and notes to it. The text is untrusted, so it is shown as
 * plain text.
 */
export function SupportMessageDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const query = useQuery(adminQueries.letter(id))
  const { data, error } = query
  const [reply, setReply] = useState('')
  return (
    <Dialog
      onOpenChange={onClose}
      hasUnsavedText={reply !== ''}
      size="lg"
      title={data?.subject ?? 'Support message'}
      description={data && `${data.name}, ${data.email}`}
      footer={
        <Button size="lg" onClick={onClose}>
          Close
        </Button>
      }
    >
      {data ? (
        <SupportMessageView supportMessage={data} reply={reply} onReplyChange={setReply} />
      ) : error ? (
        <AdminQueryError fallback="Failed to fetch the support message" query={query} />
      ) : (
        <SkeletonRows rows={5} label="Loading the support message" />
      )}
    </Dialog>
  )
}

interface ReplyText {
  reply: string
  onReplyChange: Dispatch<SetStateAction<string>>
}

function SupportMessageView({ supportMessage, ...replyText }: { supportMessage: SupportMessageDetail } & ReplyText) {
  const mayAnswer = useAllowed('letters.answer')
  const { go } = useAdminSearchParams()
  const { account } = supportMessage
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <KeyValueList>
        <KeyValue label="Account" plain>
          {account === null ? (
            'Written without signing in'
          ) : (
            // The account opens over this dialog, which keeps the text of an unsent reply.
            <button type="button" className="link touch-target" onClick={() => go.show(account.id)}>
              {account.name || 'Open the account'}
            </button>
          )}
        </KeyValue>
        <KeyValue label="Category" plain>
          {supportMessage.category ?? 'No category'}
        </KeyValue>
      </KeyValueList>
      <ol aria-label="Conversation" className="grid gap-3">
        <ConversationMessage head={supportMessage.name} at={supportMessage.at}>
          {supportMessage.message}
        </ConversationMessage>
        {supportMessage.replies.map(({ id, kind, text, at, author }) => (
          <ConversationMessage
            key={id}
            head={`${kind === 'note' ? 'Internal note' : 'Reply'}, ${author ?? 'a deleted account'}`}
            at={at}
            isNote={kind === 'note'}
          >
            {text}
          </ConversationMessage>
        ))}
      </ol>
      {mayAnswer && (
        <>
          <StateControls supportMessage={supportMessage} />
          <Reply supportMessage={supportMessage} {...replyText} />
        </>
      )}
    </div>
  )
}

function ConversationMessage({
  head,
  at,
  isNote = false,
  children,
}: {
  head: string
  at: string
  isNote?: boolean
  children: ReactNode
}) {
  return (
    <li className={`border border-line-1 p-4 ${isNote ? 'border-dashed bg-ink-2' : 'bg-ink-0'}`}>
      <p className="flex flex-wrap justify-between gap-x-4 text-hint text-2">
        <span className="wrap-anywhere">{head}</span>
        <Time at={at} show="date" className="text-data" />
      </p>
      <p className="mt-2 text-base whitespace-pre-wrap wrap-anywhere">{children}</p>
    </li>
  )
}

/**
 * Changes the support message, shows a toast, and updates the message and the lists that contain
 * it.
 */
function useSupportMessageChange<Input>(
  supportMessage: SupportMessageDetail,
  run: (input: Input) => Promise<SupportMessageDetail>,
  doneTitle: string,
) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: run,
    onSuccess: (updatedMessage) => {
      toast({ title: doneTitle, variant: 'success' })
      queryClient.setQueryData(adminQueries.letter(supportMessage.id).queryKey, updatedMessage)
      void queryClient.invalidateQueries({ queryKey: [listKeys.letters] })
      void queryClient.invalidateQueries({ queryKey: [listKeys.audit] })
    },
    onError: (error) => toastFailure(error, 'The support message was not changed. Please try again.'),
  })
}

/** Controls for the state and the assignee of a support message. */
function StateControls({ supportMessage }: { supportMessage: SupportMessageDetail }) {
  const { id: userId } = useUser()
  const change = useSupportMessageChange(
    supportMessage,
    (body: { state?: SupportMessageDetail['state']; assigneeId?: string | null }) =>
      call('changeLetter', { params: { id: String(supportMessage.id) }, body }),
    'Support Message Changed',
  )
  const isMine = supportMessage.assignee?.id === userId
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-base">
      <Segmented
        label="State of the support message"
        value={supportMessage.state}
        // Not disabled while the change is saved: a disabled button would lose the keyboard focus.
        onChange={(state) => !change.isPending && change.mutate({ state })}
        choices={supportMessageStates.map((state) => ({
          value: state,
          label: state[0]?.toUpperCase() + state.slice(1),
        }))}
      />
      <span className="text-2">
        {supportMessage.assignee === null ? 'Not assigned' : `Assigned to ${supportMessage.assignee.name}`}
      </span>
      <Button size="sm" busy={change.isPending} onClick={() => change.mutate({ assigneeId: isMine ? null : userId })}>
        {isMine ? 'Unassign' : 'Assign to me'}
      </Button>
    </div>
  )
}

function Reply({ supportMessage, reply: text, onReplyChange }: { supportMessage: SupportMessageDetail } & ReplyText) {
  const [kind, setKind] = useState<'answer' | 'note'>('answer')
  const [error, setError] = useState<string>()
  const send = useSupportMessageChange(
    supportMessage,
    async (body: { text: string }) => {
      const params = { id: String(supportMessage.id) }
      const updatedMessage = await (kind === 'answer'
        ? call('answerLetter', { params, body })
        : call('noteLetter', { params, body }))
      // Keep a text that was changed in the meantime.
      onReplyChange((currentText) => (currentText === body.text ? '' : currentText))
      return updatedMessage
    },
    kind === 'answer' ? 'Reply Queued' : 'Note Saved',
  )

  function submit(event: FormEvent) {
    event.preventDefault()
    if (text.trim() === '') setError('Enter a text.')
    else if (!send.isPending) send.mutate({ text })
  }

  return (
    <form noValidate onSubmit={submit} className="grid gap-3 border-t border-line-1 pt-4">
      <Segmented
        label="Reply type"
        value={kind}
        onChange={setKind}
        choices={[
          { value: 'answer', label: 'Reply by email' },
          { value: 'note', label: 'Internal note' },
        ]}
      />
      <TextareaField
        label={kind === 'answer' ? `Reply to ${supportMessage.email}` : 'Note for staff'}
        rows={5}
        maxLength={10_000}
        value={text}
        error={error}
        onChange={({ target }) => {
          onReplyChange(target.value)
          setError(undefined)
        }}
      />
      <Button type="submit" variant="primary" size="lg" busy={send.isPending} className="justify-self-end">
        {kind === 'answer' ? 'Send reply' : 'Save note'}
      </Button>
    </form>
  )
}
